package io.github.vicinal.contract;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TypeClosureTests {

	private static final String HERE = TypeClosureTests.class.getName() + "$";

	private static Type type(String method) {
		return Arrays.stream(Types.class.getMethods())
			.filter((it) -> it.getName().equals(method))
			.map(Method::getGenericReturnType)
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "object | java.lang.Object can hold anything",
			"objects | java.lang.Object can hold anything", "raw | has no type argument",
			"bean | #Bean is a class, not a record", "nested | #Outer.bean: #Bean is a class, not a record",
			"date | java.util.Date is a class", "zoned | java.time.ZonedDateTime is a class",
			"offset | java.time.OffsetDateTime is a class", "optional | java.util.Optional is a class",
			"sorted | java.util.SortedSet is open", "iterator | java.util.Iterator is open",
			"sealed | #Shape is open to other implementations",
			"annotated | #Annotated.name is annotated with @JsonProperty",
			"inherited | #HasId.id is annotated with @JsonIgnore",
			"creator | #Creator.of is annotated with @JsonCreator", "bundled | #Bundled.x is annotated with @Bundle",
			"getter | Jackson takes #Getter.getFullName() for a property",
			"defaultGetter | Jackson takes #DefaultGetter.isLarge() for a property",
			"setter | Jackson takes #Setter.setName() for a setter",
			"iterable | #Walkable implements java.lang.Iterable",
			"label | #Label overrides toString(), which Jackson writes",
			"labelBody | #LabelBody overrides toString(), which Jackson writes",
			"renamed | #Renamed.ONE is annotated with @JsonProperty", "key | as the key of a map is text in JSON",
			"decimalKey | java.math.BigDecimal as the key of a map", "genericOf | #Bean is a class",
			"endless | is nested too deeply", "wild | java.lang.Object can hold anything" })
	void opaqueTypesAreRefusedByName(String method, String reason) {
		assertThat(TypeClosure.whyOpaque(type(method)).orElse("")).contains(reason.replace("#", HERE));
	}

	@ParameterizedTest
	@CsvSource({ "plain", "self", "genericPlain", "comparable", "simpleMap", "enumKey", "primitive", "array" })
	void transparentTypesAreRecognised(String method) {
		assertThat(TypeClosure.whyOpaque(type(method))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "comparable, true", "primitive, true", "zoned, true", "immutablePair, true", "enumKey, false",
			"array, false", "plain, false", "bean, false", "object, false", "date, false" })
	void onlyDeeplyImmutableTypesCount(String method, boolean immutable) {
		assertThat(TypeClosure.whyMutable(type(method)).isEmpty()).isEqualTo(immutable);
	}

	@Test
	void reasonForMutabilityNamesTheMember() {
		assertThat(TypeClosure.whyMutable(Plain.class))
			.contains(HERE + "Plain.tags: java.util.List<java.lang.String> is not known to be immutable");
	}

	@Test
	void shapesAreWrittenInFull() {
		assertThat(TypeClosure.of(type("sealed")).toString()).isEqualTo("""
				record #Circle{double radius}
				interface #Shape{permits #Circle,permits #Square}
				record #Square{double side,java.util.List<#Label> labels}
				enum #Label{ONE,TWO}""".replace("#", HERE)
			.lines()
			.sorted((a, b) -> name(a).compareTo(name(b)))
			.reduce((a, b) -> a + "\n" + b)
			.orElseThrow());
		assertThat(TypeClosure.of(Bean.class).toString()).contains("class " + HERE + "Bean{", "java.lang.String name",
				"java.lang.String getName()");
	}

	private static String name(String line) {
		return line.replaceAll("^\\w+ |\\{.*", "");
	}

	@Test
	void hashIsTheSameInAnotherClassLoader() throws Exception {
		Contract here = contract(Types.class);
		Class<?> twin = new TwinLoader().loadClass(Types.class.getName());
		assertThat(twin).isNotSameAs(Types.class);
		assertThat(contract(twin).hash()).isEqualTo(here.hash());
		assertThat(contract(Other.class).hash()).isNotEqualTo(here.hash());
	}

	@Test
	void httpOnlyMethodsDoNotCount() {
		Contract contract = Contract.of(Types.class, (type, method) -> new MethodDescription(List.of(),
				method.getGenericReturnType(), false, method.getName().equals("plain") ? null : "a stream"));
		assertThat(contract.closure().opaqueReason()).isEmpty();
		assertThat(contract.closure().types()).contains(Plain.class).doesNotContain(Bean.class);
	}

	private static Contract contract(Class<?> type) {
		return Contract.of(type,
				(it, method) -> new MethodDescription(List.of(), method.getGenericReturnType(), false, null));
	}

	/** Loads this test's nested types once more. */
	private static final class TwinLoader extends ClassLoader {

		TwinLoader() {
			super(TypeClosureTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(TypeClosureTests.class.getName())) {
				return super.loadClass(name, resolve);
			}
			Class<?> known = findLoadedClass(name);
			if (known != null) {
				return known;
			}
			try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

	@SuppressWarnings("rawtypes")
	interface Types {

		Object object();

		List<Object> objects();

		List raw();

		Bean bean();

		Outer nested();

		Date date();

		ZonedDateTime zoned();

		OffsetDateTime offset();

		Optional<String> optional();

		SortedSet<String> sorted();

		Iterator<String> iterator();

		Shape sealed();

		Annotated annotated();

		Inherited inherited();

		Creator creator();

		Bundled bundled();

		Getter getter();

		DefaultGetter defaultGetter();

		Setter setter();

		Walkable iterable();

		Label label();

		LabelBody labelBody();

		Renamed renamed();

		Map<Plain, String> key();

		Map<BigDecimal, String> decimalKey();

		Box<Bean> genericOf();

		Endless<String> endless();

		List<?> wild();

		Plain plain();

		Self self();

		Box<List<? extends Plain>> genericPlain();

		Sorted comparable();

		Map<String, Plain> simpleMap();

		Map<Size, Size[]> enumKey();

		int primitive();

		int[][] array();

		Box<Sorted> immutablePair();

	}

	interface Other {

		Plain plain();

	}

	static class Bean {

		private String name = "";

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

	}

	record Outer(int x, Bean bean) {
	}

	sealed interface Shape {

	}

	record Circle(double radius) implements Shape {
	}

	record Square(double side, List<Label> labels) implements Shape {
	}

	record Annotated(@JsonProperty("n") String name) {
	}

	interface HasId {

		@JsonIgnore
		String id();

	}

	record Inherited(String id) implements HasId {
	}

	record Creator(String id) {

		@JsonCreator
		static Creator of(String id) {
			return new Creator(id);
		}

	}

	@JacksonAnnotationsInside
	@JsonIgnore
	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
	@interface Bundle {

	}

	record Bundled(@Bundle int x) {
	}

	record Getter(String first, String last) {

		public String getFullName() {
			return this.first + this.last;
		}

	}

	interface Sized {

		default boolean isLarge() {
			return false;
		}

	}

	record DefaultGetter(int size) implements Sized {
	}

	record Setter(String name) {

		private void setName(String name) {
		}

	}

	record Walkable(List<String> items) implements Iterable<String> {

		@Override
		public Iterator<String> iterator() {
			return this.items.iterator();
		}

	}

	enum Label {

		ONE, TWO;

		@Override
		public String toString() {
			return "label";
		}

	}

	enum LabelBody {

		ONE {
			@Override
			public String toString() {
				return "one";
			}
		}

	}

	enum Renamed {

		@JsonProperty("1")
		ONE

	}

	enum Size {

		S, M

	}

	record Box<T>(T value) {
	}

	record Endless<T>(Endless<List<T>> next) {
	}

	record Plain(String name, List<String> tags, ArrayList<Size> sizes, Instant at) {

		static Plain getDefault() {
			return new Plain("", List.of(), new ArrayList<>(), Instant.EPOCH);
		}

	}

	record Self(Self left, List<Self> right) {
	}

	record Sorted(int rank, Size size) implements Comparable<Sorted> {

		@Override
		public int compareTo(Sorted other) {
			return Integer.compare(this.rank, other.rank);
		}

	}

}
