package io.github.vicinal.codec;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonView;
import io.github.vicinal.codec.JsonStructure.Description;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class JsonStructureTests {

	private final JsonStructure plain = new JsonStructure(JsonMapper.builder().build());

	private Description of(Type type) {
		return this.plain.of(type);
	}

	static Stream<Arguments> equal() {
		return Stream.of(arguments(Theirs.class, Ours.class), arguments(Theirs.class, OursAsBean.class),
				arguments(Named.class, Item.class), arguments(Tree.class, OtherTree.class));
	}

	@ParameterizedTest
	@MethodSource
	void equal(Class<?> one, Class<?> other) {
		assertThat(of(one).reason()).isEmpty();
		assertThat(of(one).text()).isNotEmpty().isEqualTo(of(other).text());
	}

	static Stream<Arguments> different() {
		return Stream.of(arguments(Item.class, OtherName.class), arguments(Item.class, OtherNumber.class),
				arguments(Item.class, Boxed.class), arguments(Item.class, More.class),
				arguments(Color.class, Colors.class), arguments(Color.class, Roloc.class),
				arguments(OfList.class, OfSet.class), arguments(OfList.class, OfArray.class),
				arguments(OfLongs.class, OfIntegers.class), arguments(Instant.class, String.class),
				arguments(BigDecimal.class, double.class), arguments(Tree.class, OfTrees.class));
	}

	@ParameterizedTest
	@MethodSource
	void different(Class<?> one, Class<?> other) {
		assertThat(of(one).reason()).isEmpty();
		assertThat(of(other).reason()).isEmpty();
		assertThat(of(one).text()).isNotEqualTo(of(other).text());
	}

	static Stream<Arguments> without() {
		return Stream.of(arguments(Object.class, "can hold anything"), arguments(Number.class, "is open to other"),
				arguments(Map.class, "as the key of a map"), arguments(List.class, "can hold anything"),
				arguments(Optional.class, "no class with properties"), arguments(Ignoring.class, "@JsonIgnore"),
				arguments(Formatted.class, "@JsonFormat"), arguments(WriteOnly.class, "@JsonProperty"),
				arguments(Tolerant.class, "@JsonIgnoreProperties"), arguments(Typed.class, "@JsonTypeInfo"),
				arguments(Unwrapping.class, "@JsonUnwrapped"), arguments(Viewed.class, "@JsonView"),
				arguments(Aliased.class, "@JsonAlias"), arguments(OwnSerializer.class, "@JsonSerialize"),
				arguments(Child.class, "@JsonIgnore"), arguments(Derived.class, "only written or only read: full"),
				arguments(OfKeys.class, "as the key of a map"), arguments(OwnText.class, "overrides toString()"),
				arguments(AsList.class, "no class with properties"), arguments(Holder.class, "is open to other"),
				arguments(Inner.class, "no class with properties"),
				arguments(StringBuilder.class, "class of the platform"));
	}

	@ParameterizedTest
	@MethodSource
	void without(Class<?> type, String reason) {
		assertThat(of(type).text()).isEmpty();
		assertThat(of(type).reason()).contains(reason);
	}

	@Test
	void namesAreThoseOfTheMapper() {
		JsonStructure snake = new JsonStructure(
				JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
		assertThat(snake.of(Long1.class).reason()).isEmpty();
		assertThat(snake.of(Long1.class).text()).isNotEqualTo(of(Long1.class).text())
			.isEqualTo(of(SnakeLong.class).text());
	}

	/** A filter may read the bytes of a body. */
	@Test
	void orderOfWritingCanBeAPartOfTheStructure() {
		JsonStructure declared = new JsonStructure(
				JsonMapper.builder().disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY).build());
		assertThat(declared.of(Item.class)).isEqualTo(declared.of(OurItem.class));
		assertThat(declared.ofWritten(Item.class).text()).isNotEqualTo(declared.ofWritten(OurItem.class).text())
			.isEqualTo(declared.ofWritten(Named.class).text());
	}

	@Test
	void nullThatIsLeftOutIsAPartOfTheStructureOfWhatIsWritten() {
		JsonStructure withoutNull = new JsonStructure(JsonMapper.builder()
			.changeDefaultPropertyInclusion((known) -> known.withValueInclusion(JsonInclude.Include.NON_NULL))
			.build());
		assertThat(withoutNull.of(Item.class)).isEqualTo(of(Item.class));
		assertThat(withoutNull.ofWritten(Item.class).reason()).isEmpty();
		assertThat(withoutNull.ofWritten(Item.class).text()).isNotEqualTo(this.plain.ofWritten(Item.class).text());
	}

	@Test
	void whatTheMapperIsToldOfATypeTakesItsStructure() {
		JsonMapper mixed = JsonMapper.builder().addMixIn(Item.class, MixIn.class).build();
		assertThat(new JsonStructure(mixed).of(OfList.class).reason()).contains("mix-in for " + Item.class.getName());
		JsonMapper own = JsonMapper.builder()
			.addModule(new SimpleModule().addSerializer(Item.class, new ItemSerializer()))
			.build();
		assertThat(new JsonStructure(own).of(OfList.class).reason()).contains("changes how " + Item.class.getName());
		assertThat(new JsonStructure(own).of(Color.class).reason()).isEmpty();
	}

	/** Each level contains the one below twice. */
	@Test
	void hugeTypesHaveNone() {
		assertThat(of(Twice.class).reason()).isEmpty();
		Type type = Item.class;
		JsonMapper mapper = JsonMapper.builder().build();
		for (int i = 0; i < 20; i++) {
			type = mapper.getTypeFactory()
				.constructParametricType(Pair.class, mapper.constructType(type), mapper.constructType(type));
		}
		assertThat(of(type).reason()).contains("too many");
	}

	record Item(String name, int count) {
	}

	record Theirs(UUID id, List<Item> items, Color color, Map<String, BigDecimal> prices) {
	}

	record OurItem(int count, String name) {
	}

	enum OurColor {

		RED, GREEN

	}

	record Ours(Map<String, BigDecimal> prices, OurColor color, UUID id, ArrayList<OurItem> items) {
	}

	static class OursAsBean {

		private UUID id;

		private Collection<OurItem> items;

		private OurColor color;

		private LinkedHashMap<String, BigDecimal> prices;

		public UUID getId() {
			return this.id;
		}

		public void setId(UUID id) {
			this.id = id;
		}

		public Collection<OurItem> getItems() {
			return this.items;
		}

		public void setItems(Collection<OurItem> items) {
			this.items = items;
		}

		public OurColor getColor() {
			return this.color;
		}

		public void setColor(OurColor color) {
			this.color = color;
		}

		public LinkedHashMap<String, BigDecimal> getPrices() {
			return this.prices;
		}

		public void setPrices(LinkedHashMap<String, BigDecimal> prices) {
			this.prices = prices;
		}

	}

	record Named(@JsonProperty("name") String text, @JsonProperty("count") int number) {
	}

	record Tree(String label, List<Tree> children) {
	}

	record OtherTree(List<OtherTree> children, String label) {
	}

	record OfTrees(String label, List<Tree> children) {
	}

	record OtherName(String title, int count) {
	}

	record OtherNumber(String name, long count) {
	}

	record Boxed(String name, Integer count) {
	}

	record More(String name, int count, String more) {
	}

	enum Color {

		RED, GREEN

	}

	enum Colors {

		RED, GREEN, BLUE

	}

	enum Roloc {

		GREEN, RED

	}

	record OfList(List<Item> items) {
	}

	record OfSet(Set<Item> items) {
	}

	record OfArray(Item[] items) {
	}

	record OfLongs(Map<Long, String> names) {
	}

	record OfIntegers(Map<Integer, String> names) {
	}

	record Ignoring(String name, @JsonIgnore String secret) {
	}

	record Formatted(@JsonFormat(pattern = "yyyy") Instant time) {
	}

	record WriteOnly(@JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String name) {
	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Tolerant(String name) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	record Typed(String name) {
	}

	record Unwrapping(@JsonUnwrapped Item item) {
	}

	record Viewed(@JsonView(Object.class) String name) {
	}

	record Aliased(@JsonAlias("title") String name) {
	}

	@JsonSerialize(using = ItemSerializer.class)
	record OwnSerializer(String name) {
	}

	static class Parent {

		public String name;

		@JsonIgnore
		public String secret;

	}

	static class Child extends Parent {

		public int count;

	}

	static class Derived {

		public String first;

		public String getFull() {
			return this.first + "!";
		}

	}

	record OfKeys(Map<Item, String> names) {
	}

	enum OwnText {

		ONE;

		@Override
		public String toString() {
			return "one";
		}

	}

	@SuppressWarnings("serial")
	static class AsList extends ArrayList<String> {

	}

	record Holder(Comparable<String> value) {
	}

	class Inner {

		public String name;

	}

	record Long1(String firstName) {
	}

	@SuppressWarnings("checkstyle:RecordComponentName")
	record SnakeLong(String first_name) {
	}

	interface MixIn {

	}

	record Twice(Item one, Item other) {
	}

	record Pair<A, B>(A one, B other) {
	}

	static class ItemSerializer extends StdSerializer<Item> {

		ItemSerializer() {
			super(Item.class);
		}

		@Override
		public void serialize(Item value, JsonGenerator generator, SerializationContext context) {
			generator.writeString(value.name());
		}

	}

}
