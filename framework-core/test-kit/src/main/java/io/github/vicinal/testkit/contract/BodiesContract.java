package io.github.vicinal.testkit.contract;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Bodies in both directions. A method called {@code echo...} returns its argument;
 * {@code describe} reports what arrived, for tests that must distinguish both directions.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/bodies")
public interface BodiesContract extends KitContract {

	@PostExchange("/basket")
	Basket echoBasket(@RequestBody Basket basket);

	@PostExchange("/items")
	List<@Nullable Item> echoItems(@RequestBody List<@Nullable Item> items);

	@PostExchange("/array")
	Item[] echoArray(@RequestBody Item[] items);

	@PostExchange("/matrix")
	int[][] echoMatrix(@RequestBody int[][] matrix);

	@PostExchange("/by-name")
	Map<String, List<Item>> echoByName(@RequestBody Map<String, List<Item>> items);

	@PostExchange("/by-key")
	Map<DayOfWeek, Map<Integer, LocalDate>> echoByKey(@RequestBody Map<DayOfWeek, Map<Integer, LocalDate>> items);

	@PostExchange("/set")
	Set<Item> echoSet(@RequestBody Set<Item> items);

	@PostExchange("/page")
	Page<Item> echoPage(@RequestBody Page<Item> page);

	@PostExchange("/shape")
	Shape echoShape(@RequestBody Shape shape);

	@PostExchange("/shapes")
	List<Shape> echoShapes(@RequestBody List<Shape> shapes);

	@PostExchange("/grade")
	Graded echoGrade(@RequestBody Graded graded);

	@PostExchange("/times")
	Times echoTimes(@RequestBody Times times);

	@PostExchange("/numbers")
	Numbers echoNumbers(@RequestBody Numbers numbers);

	@PostExchange("/decimals")
	Decimals echoDecimals(@RequestBody Decimals decimals);

	@PostExchange("/texts")
	Texts echoTexts(@RequestBody Texts texts);

	@PostExchange("/blob")
	Blob echoBlob(@RequestBody Blob blob);

	@PostExchange(url = "/bytes", contentType = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	byte[] echoBytes(@RequestBody byte[] bytes);

	@PostExchange(url = "/optional-bytes", contentType = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	String describeBytes(@RequestBody(required = false) byte @Nullable [] bytes);

	@PostExchange("/string")
	@Nullable String echoString(@RequestBody(required = false) @Nullable String text);

	@PostExchange(url = "/utf8", contentType = "text/plain;charset=UTF-8")
	String echoUtf8(@RequestBody String text);

	@PostExchange("/describe-string")
	String describeString(@RequestBody(required = false) @Nullable String text);

	@PostExchange("/maybe")
	Optional<Item> findItem(@RequestParam boolean there);

	@PostExchange("/find-text")
	Optional<String> findText(@RequestParam boolean there);

	@PostExchange("/find-number")
	Optional<Integer> findNumber(@RequestParam boolean there);

	@PostExchange("/maybe-in-record")
	Maybe echoMaybe(@RequestBody Maybe maybe);

	@PostExchange("/secret")
	Secret echoSecret(@RequestBody Secret secret);

	@PostExchange("/secret-seen")
	String describeSecret(@RequestBody Secret secret);

	@PostExchange("/bean")
	Bean echoBean(@RequestBody Bean bean);

	@PostExchange("/bean-seen")
	String describeBean(@RequestBody Bean bean);

	@PostExchange("/richer")
	Plain richerThanDeclared();

	@PostExchange("/plain")
	String describePlain(@RequestBody Plain plain);

	@PostExchange("/annotated")
	Annotated echoAnnotated(@RequestBody Annotated annotated);

	@PostExchange("/loose")
	Map<String, @Nullable Object> echoLoose(@RequestBody Map<String, @Nullable Object> loose);

	@PostExchange("/loose-seen")
	String describeLoose(@RequestBody Map<String, @Nullable Object> loose);

	@PostExchange("/object")
	Object anything(@RequestParam String kind);

	@PostExchange("/sequence")
	CharSequence sequence(@RequestParam String kind);

	@PostExchange("/tree")
	JsonNode echoTree(@RequestBody JsonNode tree);

	@PostExchange("/mixed-in")
	MixedIn echoMixedIn(@RequestBody MixedIn mixed);

	@PostExchange("/node")
	Node echoNode(@RequestBody Node node);

	@PostExchange("/twice")
	List<Bean> sameBeanTwice();

	@PostExchange("/fixed")
	List<String> fixedList();

	@PostExchange("/fixed-map")
	Map<String, List<String>> fixedMap();

	@PostExchange("/picky")
	String picky(@RequestBody Picky picky);

	@PostExchange("/picky-result")
	Picky pickyResult(@RequestParam String text);

	@PostExchange("/cycle")
	Node cyclicResult();

	/** A record of records. */
	record Basket(long id, @Nullable String owner, List<Item> items, Map<String, Integer> counts) {

	}

	/** A record. */
	record Item(@Nullable String name, BigDecimal price) {

	}

	/** A generic record. */
	record Page<T>(List<T> content, int number, boolean last) {

	}

	/** A closed hierarchy with its type in the JSON. */
	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Circle.class, name = "circle"),
			@JsonSubTypes.Type(value = Square.class, name = "square"),
			@JsonSubTypes.Type(value = Group.class, name = "group") })
	sealed interface Shape permits Circle, Square, Group {

	}

	record Circle(double radius) implements Shape {

	}

	record Square(double side) implements Shape {

	}

	record Group(List<Shape> members) implements Shape {

	}

	/** An enum whose JSON is not its name. */
	enum Grade {

		GOOD("1"), FAIR("2"), POOR("3");

		private final String mark;

		Grade(String mark) {
			this.mark = mark;
		}

		@JsonValue
		public String mark() {
			return this.mark;
		}

	}

	record Graded(Grade grade, DayOfWeek day, Map<Grade, Integer> counts) {

	}

	record Times(Instant instant, LocalDate day, LocalDateTime moment, OffsetDateTime offset, ZonedDateTime zoned,
			Duration duration) {

	}

	record Numbers(long big, double real, float single, short small, byte tiny, @Nullable Integer absent) {

	}

	record Decimals(BigDecimal decimal, BigInteger integer, List<BigDecimal> more) {

	}

	record Texts(char letter, String text, StringBuilder builder) {

	}

	/** Bytes in a record. */
	@SuppressWarnings("ArrayRecordComponent")
	record Blob(String name, byte[] content) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Blob blob && this.name.equals(blob.name)
					&& Arrays.equals(this.content, blob.content);
		}

		@Override
		public int hashCode() {
			return Objects.hash(this.name, Arrays.hashCode(this.content));
		}

	}

	record Maybe(Optional<String> text, Optional<Item> item) {

	}

	/** A mutable bean with fields that JSON leaves out in one or in both directions. */
	final class Secret implements Serializable {

		private static final long serialVersionUID = 1L;

		private @Nullable String shown;

		@JsonIgnore
		private @Nullable String ignored;

		@JsonProperty(access = JsonProperty.Access.READ_ONLY)
		private @Nullable String readOnly;

		@JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
		private @Nullable String writeOnly;

		private transient @Nullable String passing;

		public static Secret full(String text) {
			Secret secret = new Secret();
			secret.shown = text;
			secret.ignored = text;
			secret.readOnly = text;
			secret.writeOnly = text;
			secret.passing = text;
			return secret;
		}

		public @Nullable String getShown() {
			return this.shown;
		}

		public void setShown(@Nullable String shown) {
			this.shown = shown;
		}

		public @Nullable String getIgnored() {
			return this.ignored;
		}

		public void setIgnored(@Nullable String ignored) {
			this.ignored = ignored;
		}

		public @Nullable String getReadOnly() {
			return this.readOnly;
		}

		public void setReadOnly(@Nullable String readOnly) {
			this.readOnly = readOnly;
		}

		public @Nullable String getWriteOnly() {
			return this.writeOnly;
		}

		public void setWriteOnly(@Nullable String writeOnly) {
			this.writeOnly = writeOnly;
		}

		public @Nullable String passing() {
			return this.passing;
		}

		@Override
		public String toString() {
			return "shown=" + this.shown + ", ignored=" + this.ignored + ", readOnly=" + this.readOnly + ", writeOnly="
					+ this.writeOnly + ", passing=" + this.passing;
		}

	}

	/** A mutable bean as people write them: defaults, no {@code equals}, a nested one. */
	class Bean {

		private String name = "unnamed";

		private int count = 42;

		private List<String> tags = new ArrayList<>();

		private Map<String, Integer> scores = new HashMap<>();

		private String[] words = {};

		private @Nullable Bean nested;

		private boolean setterUsed;

		public static Bean named(String name) {
			Bean bean = new Bean();
			bean.name = name;
			bean.tags.add("tag");
			bean.scores.put("score", 1);
			bean.words = new String[] { "word" };
			return bean;
		}

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
			this.setterUsed = true;
		}

		public int getCount() {
			return this.count;
		}

		public void setCount(int count) {
			this.count = count;
		}

		public List<String> getTags() {
			return this.tags;
		}

		public void setTags(List<String> tags) {
			this.tags = tags;
		}

		public Map<String, Integer> getScores() {
			return this.scores;
		}

		public void setScores(Map<String, Integer> scores) {
			this.scores = scores;
		}

		public String[] getWords() {
			return this.words;
		}

		public void setWords(String[] words) {
			this.words = words;
		}

		public @Nullable Bean getNested() {
			return this.nested;
		}

		public void setNested(@Nullable Bean nested) {
			this.nested = nested;
		}

		/** Change everything there is to change, also below. */
		public void spoil() {
			this.name = "spoilt";
			this.count = -1;
			this.tags.clear();
			this.tags.add("spoilt");
			this.scores.put("score", -1);
			if (this.words.length > 0) {
				this.words[0] = "spoilt";
			}
			if (this.nested != null) {
				this.nested.spoil();
			}
		}

		/**
		 * Describes the whole state, also parts without a getter.
		 * @return text to compare by
		 */
		public String describe() {
			return this.name + " " + this.count + " " + this.tags + " " + this.scores + " "
					+ Arrays.toString(this.words) + " " + this.setterUsed + " "
					+ ((this.nested != null) ? "[" + this.nested.describe() + "]" : "-");
		}

	}

	/** A class that has a richer subclass which the JSON type does not know. */
	class Plain {

		private @Nullable String text;

		public @Nullable String getText() {
			return this.text;
		}

		public void setText(@Nullable String text) {
			this.text = text;
		}

	}

	/** The richer subclass. */
	class Richer extends Plain {

		private @Nullable String more;

		public static Richer of(String text, String more) {
			Richer richer = new Richer();
			richer.setText(text);
			richer.more = more;
			return richer;
		}

		public @Nullable String getMore() {
			return this.more;
		}

		public void setMore(@Nullable String more) {
			this.more = more;
		}

	}

	/** A record whose JSON looks nothing like it. */
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	record Annotated(@JsonProperty("other_name") String name,
			@JsonFormat(shape = JsonFormat.Shape.STRING, pattern = "dd/MM/yyyy") LocalDate day,
			@JsonAlias("former") String text, @JsonUnwrapped Note note, @Nullable List<String> empty) {

	}

	/** Part of an {@link Annotated}. */
	record Note(String author, int stars) {

	}

	/** Changed by a mix-in on both sides: {@code left} is left out. */
	record MixedIn(@Nullable String left, @Nullable String right) {

	}

	/** A node of a graph that may have cycles. */
	class Node {

		private String name = "";

		private @Nullable Node next;

		public static Node named(String name) {
			Node node = new Node();
			node.name = name;
			return node;
		}

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

		public @Nullable Node getNext() {
			return this.next;
		}

		public void setNext(@Nullable Node next) {
			this.next = next;
		}

	}

	/** Can be made with any text, but not read back from JSON with a bad one. */
	final class Picky {

		private final String text;

		private Picky(String text) {
			this.text = text;
		}

		public static Picky of(String text) {
			return new Picky(text);
		}

		@JsonCreator
		static Picky read(@JsonProperty("text") String text) {
			if (text.startsWith("bad")) {
				throw new IllegalArgumentException("not readable: " + text);
			}
			return new Picky(text);
		}

		public String getText() {
			return this.text;
		}

	}

}
