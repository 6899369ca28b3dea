package io.github.vicinal.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.ext.javatime.ser.LocalDateSerializer;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

@Tag("every-jdk")
class CodecsTests {

	private final Contract transparent = TestContracts.of(Dates.class);

	@Test
	void flatIsOfferedWhereItIsEquivalent() {
		Codecs codecs = new Codecs(JsonMapper.builder().build(), true);
		assertThat(codecs.offers(this.transparent)).containsExactlyInAnyOrder("jackson", "flat");
		CodecChoice choice = codecs.choose(this.transparent, Set.of("jackson", "flat"));
		assertThat(choice.codec().name()).isEqualTo("flat");
		assertThat(choice.reason()).isEqualTo("Flat: JSON would give back equal values of the same classes");
		assertThat(codecs.choose(this.transparent, Set.of("jackson", "flat")).codec()).isSameAs(choice.codec());
		assertThat(codecs.explain(this.transparent)).isEqualTo(choice.reason());
	}

	@Test
	void peerThatDoesNotOfferFlatGetsJackson() {
		CodecChoice choice = new Codecs(JsonMapper.builder().build(), true).choose(this.transparent, Set.of("jackson"));
		assertThat(choice.codec().name()).isEqualTo("jackson");
		assertThat(choice.reason()).isEqualTo("Jackson: the peer does not offer the flat format for this contract");
	}

	@Test
	void disabledFlatIsNotOffered() {
		Codecs codecs = new Codecs(JsonMapper.builder().build(), false);
		assertThat(codecs.offers(this.transparent)).containsExactly("jackson");
		assertThat(codecs.explain(this.transparent)).isEqualTo("Jackson: the flat format is disabled");
	}

	@Test
	void opaqueContractIsNotOffered() {
		Codecs codecs = new Codecs(JsonMapper.builder().build(), true);
		assertThat(codecs.offers(TestContracts.of(Open.class))).containsExactly("jackson");
		assertThat(codecs.explain(TestContracts.of(Open.class)))
			.isEqualTo("Jackson: result of open: java.lang.Object can hold anything");
	}

	static Stream<Arguments> mappersThatMatter() {
		return Stream.of(
				mapper("naming strategy",
						(builder) -> builder.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)),
				mapper("ORDER_MAP_ENTRIES_BY_KEYS", (it) -> it.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)),
				mapper("UNWRAP_SINGLE_VALUE_ARRAYS",
						(it) -> it.enable(DeserializationFeature.UNWRAP_SINGLE_VALUE_ARRAYS)),
				mapper("ACCEPT_CASE_INSENSITIVE_PROPERTIES",
						(it) -> it.enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)),
				mapper("WRITE_DATES_AS_TIMESTAMPS", (it) -> it.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)),
				mapper("property inclusion non_empty",
						(it) -> it.changeDefaultPropertyInclusion(
								(value) -> value.withValueInclusion(JsonInclude.Include.NON_EMPTY))),
				mapper("property inclusion",
						(it) -> it.changeDefaultPropertyInclusion(
								(value) -> value.withContentInclusion(JsonInclude.Include.NON_NULL))),
				mapper("default typing",
						(it) -> it.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().build(),
								DefaultTyping.NON_FINAL)),
				mapper("annotation introspector",
						(it) -> it.annotationIntrospector(new JacksonAnnotationIntrospector() {
						})),
				mapper("visibility", (it) -> it.changeDefaultVisibility(
						(value) -> value.withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY))),
				mapper("mix-in for " + Day.class.getName(), (it) -> it.addMixIn(Day.class, DayMixIn.class)),
				mapper("configuration override for java.time.LocalDate",
						(it) -> it.withConfigOverride(LocalDate.class,
								(value) -> value.setFormat(JsonFormat.Value.forPattern("yyyy")))),
				mapper("changes how java.time.LocalDate is read or written",
						(it) -> it.addModule(new SimpleModule().addSerializer(LocalDate.class,
								new LocalDateSerializer(DateTimeFormatter.ofPattern("yy"))))),
				mapper("addSerializerModifier",
						(it) -> it.addModule(new SimpleModule().setSerializerModifier(new ValueSerializerModifier() {
						}))),
				mapper("addAbstractTypeResolver", (it) -> it
					.addModule(new SimpleModule().addAbstractTypeMapping(List.class, java.util.LinkedList.class))));
	}

	private static Arguments mapper(String reason, Consumer<JsonMapper.Builder> customizer) {
		JsonMapper.Builder builder = JsonMapper.builder();
		customizer.accept(builder);
		return arguments(reason, builder.build());
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("mappersThatMatter")
	void mapperThatChangesValuesIsNotPlain(String reason, JsonMapper mapper) {
		Codecs codecs = new Codecs(mapper, true);
		assertThat(codecs.explain(this.transparent)).startsWith("Jackson: ").contains(reason);
		assertThat(codecs.byReference(Day.class)).isFalse();
	}

	/** As in Spring Boot, whose mapper has two modules and a mix-in for its own type. */
	@Test
	void harmlessMapperIsPlain() {
		JsonMapper mapper = JsonMapper.builder()
			.addModule(new SimpleModule().addSerializer(Money.class, new MoneySerializer()))
			.addModule(new SimpleModule().setMixInAnnotation(Money.class, DayMixIn.class))
			.enable(SerializationFeature.INDENT_OUTPUT)
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.changeDefaultPropertyInclusion((value) -> value.withValueInclusion(JsonInclude.Include.NON_NULL))
			.build();
		Codecs codecs = new Codecs(mapper, true);
		assertThat(codecs.explain(this.transparent)).startsWith("Flat");
		Contract contract = TestContracts.of(Transparent.class);
		ContractCodec jackson = new JacksonCodec(contract, mapper);
		ContractCodec flat = codecs.choose(contract, Set.of("flat")).codec();
		assertThat(flat.name()).isEqualTo("flat");
		for (long seed = 0; seed < 100; seed++) {
			for (ContractMethod method : contract.methods()) {
				Object[] values = RandomValues.arguments(method, seed);
				byte[] json = TestContracts.arguments(jackson, method, values);
				byte[] binary = TestContracts.arguments(flat, method, values);
				assertThat(TransparentTypesTests.same(jackson.decodeArguments(method, json, 0, json.length),
						flat.decodeArguments(method, binary, 0, binary.length)))
					.as("%s", method)
					.isTrue();
			}
		}
	}

	@Test
	void onlyImmutableTransparentTypesGoByReference() {
		Codecs codecs = new Codecs(JsonMapper.builder().build(), false);
		assertThat(codecs.byReference(Day.class)).isTrue();
		assertThat(codecs.byReference(String.class)).isTrue();
		assertThat(codecs.byReference(int.class)).isTrue();
		assertThat(codecs.byReference(java.time.ZonedDateTime.class)).isFalse();
		assertThat(codecs.byReference(Transparent.Node.class)).isFalse();
		assertThat(codecs.byReference(Object.class)).isFalse();
	}

	/** By reference neither a masking accessor nor a checking constructor would run. */
	@Test
	void onlyRecordsOfTheCompilersOwnMakingGoByReference() {
		Codecs codecs = new Codecs(JsonMapper.builder().build(), false);
		assertThat(codecs.byReference(Plain.class)).isTrue();
		assertThat(codecs.byReference(WrittenOut.class)).isTrue();
		assertThat(codecs.byReference(Wide.class)).isTrue();
		assertThat(codecs.byReference(Nothing.class)).isTrue();
		assertThat(codecs.byReference(Masked.class)).isFalse();
		assertThat(codecs.byReference(Trimmed.class)).isFalse();
		assertThat(codecs.byReference(Checked.class)).isFalse();
		assertThat(codecs.byReference(Swapped.class)).isFalse();
		assertThat(codecs.byReference(Holder.class)).isFalse();
	}

	@Test
	void accessorsAndConstructorsRunWithEachCodec() {
		Contract contract = TestContracts.of(Customs.class);
		Codecs codecs = new Codecs(JsonMapper.builder().build(), true);
		ContractCodec flat = codecs.choose(contract, Set.of("flat")).codec();
		assertThat(flat.name()).isEqualTo("flat");
		for (ContractCodec codec : List.of(new JacksonCodec(contract, JsonMapper.builder().build()), flat)) {
			Masked masked = (Masked) roundTrip(codec, contract, "masked", new Masked("eve", "secret"));
			assertThat(masked.raw()).as(codec.name()).isEqualTo("***");
			Trimmed.made.set(0);
			Trimmed trimmed = (Trimmed) roundTrip(codec, contract, "trimmed", new Trimmed(" x "));
			assertThat(trimmed.name()).isEqualTo("x");
			assertThat(Trimmed.made.get()).as("constructed with " + codec.name()).isEqualTo(2);
			Holder holder = (Holder) roundTrip(codec, contract, "holder", new Holder(new Masked("eve", "secret")));
			assertThat(holder.masked().raw()).as(codec.name()).isEqualTo("***");
			Fraction fraction = (Fraction) roundTrip(codec, contract, "fraction", new Fraction(7, 2));
			assertThat(fraction).as(codec.name()).isEqualTo(new Fraction(8, 3));
		}
	}

	private static Object roundTrip(ContractCodec codec, Contract contract, String name, Object value) {
		ContractMethod method = TestContracts.method(contract, name);
		byte[] bytes = TestContracts.result(codec, method, value);
		return codec.decodeResult(method, bytes, 0, bytes.length);
	}

	@Test
	void bodiesOfBytesAndTextAreNotJson() {
		Contract contract = TestContracts.of(Bodies.class);
		for (ContractCodec codec : List.of(new JacksonCodec(contract, JsonMapper.shared()))) {
			ContractMethod text = TestContracts.method(contract, "text");
			byte[] bytes = TestContracts.result(codec, text, "a\uFFFD\u00e4");
			assertThat(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8)).isEqualTo("a\uFFFD\u00e4");
			assertThat(codec.decodeResult(text, bytes, 0, bytes.length)).isEqualTo("a\uFFFD\u00e4");
			byte[] malformed = { 1, (byte) 0xC3 };
			assertThatExceptionOfType(CodecException.class)
				.isThrownBy(() -> codec.decodeResult(text, malformed, 0, malformed.length));
			byte[] nothing = TestContracts.result(codec, text, null);
			assertThat(codec.decodeResult(text, nothing, 0, nothing.length)).isNull();
			ContractMethod buffer = TestContracts.method(contract, "buffer");
			ByteBuffer value = ByteBuffer.wrap(new byte[] { 1, 2, 3, 4 }).position(1).limit(3);
			byte[] written = TestContracts.arguments(codec, buffer, value);
			assertThat(value.position()).isEqualTo(1);
			assertThat(codec.decodeArguments(buffer, written, 0, written.length)[0])
				.isEqualTo(ByteBuffer.wrap(new byte[] { 2, 3 }));
			ContractMethod chars = TestContracts.method(contract, "chars");
			byte[] builder = TestContracts.arguments(codec, chars, new StringBuilder("x"));
			assertThat(codec.decodeArguments(chars, builder, 0, builder.length)[0]).isEqualTo("x");
		}
	}

	@Test
	void jacksonRefusesWhatDoesNotFit() {
		Contract contract = TestContracts.of(Transparent.class);
		ContractCodec codec = new JacksonCodec(contract, JsonMapper.shared());
		ContractMethod add = TestContracts.method(contract, "add");
		for (String json : List.of("", "1", "[1]", "[1,2,3]", "[1,2]x", "[1,2] []", "[1,null]", "{}", "[1,2",
				"[\"x\",1]")) {
			byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
			assertThatExceptionOfType(CodecException.class).as(json)
				.isThrownBy(() -> codec.decodeArguments(add, bytes, 0, bytes.length));
		}
		ContractMethod nothing = TestContracts.method(contract, "nothing");
		assertThatExceptionOfType(CodecException.class)
			.isThrownBy(() -> codec.decodeResult(nothing, new byte[1], 0, 1));
	}

	@Test
	void manyThreadsShareACodec() throws Exception {
		Contract contract = TestContracts.of(Transparent.class);
		ContractCodec codec = new FlatCodec(contract, 500);
		ContractMethod method = TestContracts.method(contract, "map");
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Callable<Boolean>> tasks = new ArrayList<>();
			for (int i = 0; i < 64; i++) {
				Map<String, List<Integer>> value = Map.of("k" + i, List.of(i, i + 1));
				tasks.add(() -> {
					boolean equal = true;
					for (int round = 0; round < 200; round++) {
						byte[] bytes = TestContracts.result(codec, method, value);
						equal &= value.equals(codec.decodeResult(method, bytes, 0, bytes.length));
					}
					return equal;
				});
			}
			for (Future<Boolean> result : threads.invokeAll(tasks)) {
				assertThat(result.get()).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Jackson reads accessors and calls canonical constructors; so must the flat format.
	 */
	@Test
	void accessorsAndConstructorsAreUsed() {
		Contract contract = TestContracts.of(Liars.class);
		for (ContractCodec codec : List.of(new JacksonCodec(contract, JsonMapper.shared()),
				new FlatCodec(contract, 500))) {
			for (Object liar : new Object[] { new Liar("a"), new ListLiar("a", List.of()) }) {
				ContractMethod method = TestContracts.method(contract, (liar instanceof Liar) ? "liar" : "listLiar");
				byte[] bytes = TestContracts.result(codec, method, liar);
				assertThat(codec.decodeResult(method, bytes, 0, bytes.length).toString())
					.as("%s %s", codec.name(), liar)
					.contains("name=<<a>!>!");
			}
		}
	}

	interface Liars {

		Liar liar();

		ListLiar listLiar();

	}

	record Liar(String name) {

		Liar {
			name = "<" + name + ">";
		}

		@Override
		public String name() {
			return this.name + "!";
		}

		@Override
		public String toString() {
			return "name=" + name();
		}

	}

	record ListLiar(String name, List<String> list) {

		ListLiar {
			name = "<" + name + ">";
		}

		@Override
		public String name() {
			return this.name + "!";
		}

		@Override
		public String toString() {
			return "name=" + name();
		}

	}

	interface Dates {

		List<Day> days(Map<String, Day> byName, LocalDate from);

	}

	interface Open {

		Object open();

	}

	interface Bodies {

		String text();

		void buffer(ByteBuffer value);

		void chars(CharSequence value);

	}

	record Day(LocalDate date, String name) {
	}

	abstract static class DayMixIn {

		@JsonProperty("n")
		abstract String name();

	}

	record Money(long cents) {
	}

	static final class MoneySerializer extends tools.jackson.databind.ValueSerializer<Money> {

		@Override
		public void serialize(Money value, tools.jackson.core.JsonGenerator generator,
				tools.jackson.databind.SerializationContext context) {
			generator.writeString(value.cents() + " ct");
		}

	}

	interface Customs {

		Masked masked();

		Trimmed trimmed();

		Holder holder();

		Fraction fraction();

	}

	record Plain(String name, long number, double part, boolean on, Day day) {
	}

	record Nothing() {
	}

	/** More components than there are short instructions, and two slots for some. */
	record Wide(int a, long b, float c, double d, String e, long f, char g, byte h, short i, boolean j, Long k) {
	}

	/** Members as the compiler would have generated them. */
	record WrittenOut(String name, int number) {

		WrittenOut(String name, int number) {
			this.name = name;
			this.number = number;
		}

		@Override
		public String name() {
			return this.name;
		}

	}

	record Masked(String user, String password) {

		@Override
		public String password() {
			return "***";
		}

		String raw() {
			return this.password;
		}

	}

	record Trimmed(String name) {

		static final AtomicInteger made = new AtomicInteger();

		Trimmed {
			name = name.strip();
			made.incrementAndGet();
		}

	}

	record Checked(int number) {

		Checked {
			if (number < 0) {
				throw new IllegalArgumentException("negative");
			}
		}

	}

	record Swapped(int first, int second) {

		Swapped(int first, int second) {
			this.first = second;
			this.second = first;
		}

	}

	record Holder(Masked masked) {
	}

	/** Record of primitive types only, each of which changes on its way. */
	record Fraction(int above, int below) {

		Fraction(int above, int below) {
			this.above = above;
			this.below = below;
		}

		@Override
		public int above() {
			return this.above + 1;
		}

		@Override
		public int below() {
			return this.below + 1;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Fraction fraction && fraction.above == this.above && fraction.below == this.below;
		}

		@Override
		public int hashCode() {
			return this.above;
		}

	}

	interface Parameters {

		String find(String text, Instant time);

	}

	/** HTTP carries parameters as text, whatever JSON looks like on either side. */
	@Test
	void argumentsThatAreNoBodiesDoNotDependOnTheMapper() {
		Contract contract = Contract.of(Parameters.class,
				(type, method) -> new MethodDescription(List.of(method.getGenericParameterTypes()),
						method.getGenericReturnType(), true, null, Set.of(0, 1)));
		JsonMapper writing = JsonMapper.builder()
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
			.disable(DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS)
			.build();
		JsonMapper reading = JsonMapper.builder()
			.addModule(new SimpleModule().addDeserializer(String.class, new Masking()))
			.build();
		ContractMethod method = contract.methods().get(0);
		Object[] values = { " text ", Instant.ofEpochSecond(1, 23) };
		byte[] json = TestContracts.arguments(new JacksonCodec(contract, writing), method, values);
		assertThat(new JacksonCodec(contract, reading).decodeArguments(method, json, 0, json.length))
			.containsExactly(values);
	}

	private static final class Masking extends ValueDeserializer<String> {

		@Override
		public String deserialize(JsonParser parser, DeserializationContext context) {
			return "***";
		}

	}

}
