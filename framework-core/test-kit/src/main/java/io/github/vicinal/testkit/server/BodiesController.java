package io.github.vicinal.testkit.server;

import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.testkit.contract.BodiesContract;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.web.bind.annotation.RestController;

@RestController
class BodiesController implements BodiesContract {

	@Override
	public String ping() {
		return "bodies";
	}

	@Override
	public Basket echoBasket(Basket basket) {
		return basket;
	}

	@Override
	public List<@Nullable Item> echoItems(List<@Nullable Item> items) {
		return items;
	}

	@Override
	public Item[] echoArray(Item[] items) {
		return items;
	}

	@Override
	public int[][] echoMatrix(int[][] matrix) {
		return matrix;
	}

	@Override
	public Map<String, List<Item>> echoByName(Map<String, List<Item>> items) {
		return items;
	}

	@Override
	public Map<DayOfWeek, Map<Integer, LocalDate>> echoByKey(Map<DayOfWeek, Map<Integer, LocalDate>> items) {
		return items;
	}

	@Override
	public Set<Item> echoSet(Set<Item> items) {
		return items;
	}

	@Override
	public Page<Item> echoPage(Page<Item> page) {
		return page;
	}

	@Override
	public Shape echoShape(Shape shape) {
		return shape;
	}

	@Override
	public List<Shape> echoShapes(List<Shape> shapes) {
		return shapes;
	}

	@Override
	public Graded echoGrade(Graded graded) {
		return graded;
	}

	@Override
	public Times echoTimes(Times times) {
		return times;
	}

	@Override
	public Numbers echoNumbers(Numbers numbers) {
		return numbers;
	}

	@Override
	public Decimals echoDecimals(Decimals decimals) {
		return decimals;
	}

	@Override
	public Texts echoTexts(Texts texts) {
		return texts;
	}

	@Override
	public Blob echoBlob(Blob blob) {
		return blob;
	}

	@Override
	public byte[] echoBytes(byte[] bytes) {
		return bytes;
	}

	@Override
	public String describeBytes(byte @Nullable [] bytes) {
		return (bytes != null) ? "length " + bytes.length : "null";
	}

	@Override
	public @Nullable String echoString(@Nullable String text) {
		return text;
	}

	@Override
	public String echoUtf8(String text) {
		return text;
	}

	@Override
	public String describeString(@Nullable String text) {
		return (text != null) ? "length " + text.length() : "null";
	}

	@Override
	public Optional<String> findText(boolean there) {
		return there ? Optional.of("found") : Optional.empty();
	}

	@Override
	public Optional<Integer> findNumber(boolean there) {
		return there ? Optional.of(7) : Optional.empty();
	}

	@Override
	public Optional<Item> findItem(boolean there) {
		return (there) ? Optional.of(new Item("found", new BigDecimal("1.10"))) : Optional.empty();
	}

	@Override
	public Maybe echoMaybe(Maybe maybe) {
		return maybe;
	}

	@Override
	public Secret echoSecret(Secret secret) {
		return secret;
	}

	@Override
	public String describeSecret(Secret secret) {
		return secret.toString();
	}

	@Override
	public Bean echoBean(Bean bean) {
		return bean;
	}

	@Override
	public String describeBean(Bean bean) {
		return bean.describe();
	}

	@Override
	public Plain richerThanDeclared() {
		return Richer.of("text", "more");
	}

	@Override
	public String describePlain(Plain plain) {
		return plain.getClass().getSimpleName() + " " + plain.getText();
	}

	@Override
	public Annotated echoAnnotated(Annotated annotated) {
		return annotated;
	}

	@Override
	public Map<String, @Nullable Object> echoLoose(Map<String, @Nullable Object> loose) {
		return loose;
	}

	@Override
	public String describeLoose(Map<String, @Nullable Object> loose) {
		Map<String, String> types = new TreeMap<>();
		loose.forEach((name, value) -> types.put(name, (value != null) ? value.getClass().getName() : "null"));
		return types.toString();
	}

	@Override
	public CharSequence sequence(String kind) {
		return kind.equals("text") ? "a text" : CharBuffer.wrap("a buffer");
	}

	@Override
	public Object anything(String kind) {
		return switch (kind) {
			case "record" -> new Item("anything", BigDecimal.TEN);
			case "list" -> List.of(new Item("anything", BigDecimal.ONE), 7L, "text");
			case "long" -> 7L;
			case "instant" -> Instant.EPOCH;
			case "map" -> new LinkedHashMap<>(Map.of("float", 1.5f));
			case "enum" -> Grade.GOOD;
			default -> "text";
		};
	}

	@Override
	public JsonNode echoTree(JsonNode tree) {
		return tree;
	}

	@Override
	public MixedIn echoMixedIn(MixedIn mixed) {
		return new MixedIn(mixed.left() + " arrived", mixed.right() + " arrived");
	}

	@Override
	public Node echoNode(Node node) {
		return node;
	}

	@Override
	public List<Bean> sameBeanTwice() {
		Bean bean = Bean.named("both");
		return List.of(bean, bean);
	}

	@Override
	public List<String> fixedList() {
		return List.of("one", "two");
	}

	@Override
	public Map<String, List<String>> fixedMap() {
		return Map.of("key", Collections.unmodifiableList(List.of("value")));
	}

	@Override
	public String picky(Picky picky) {
		return picky.getText();
	}

	@Override
	public Picky pickyResult(String text) {
		return Picky.of(text);
	}

	@Override
	public Node cyclicResult() {
		Node node = Node.named("cycle");
		node.setNext(node);
		return node;
	}

}
