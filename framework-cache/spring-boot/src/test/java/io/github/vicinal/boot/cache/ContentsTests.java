package io.github.vicinal.boot.cache;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Values and their copies. */
class ContentsTests {

	private final Contents contents = new Contents();

	private static Node node(String name) {
		Node node = new Node();
		node.name = name;
		return node;
	}

	private static Node full() {
		Node node = new Special();
		node.name = "full";
		node.numbers = new int[] { 1, 2 };
		node.children = new ArrayList<>(List.of(node("child")));
		node.byName = new LinkedHashMap<>(Map.of("a", node("a")));
		node.tags = new LinkedHashSet<>(Set.of("x", "y"));
		node.maybe = Optional.of(node("maybe"));
		node.at = Instant.EPOCH;
		node.pair = new Pair("left", node("right"));
		node.parent = node;
		return node;
	}

	@Test
	void aCopyIsLikeTheOriginalWhateverItsClassesOfCollections() {
		Node copy = full();
		assertThat(this.contents.same(full(), copy)).isTrue();
		copy.children = Arrays.asList(copy.children.toArray(Node[]::new));
		assertThat(this.contents.same(full(), copy)).isTrue();
		assertThat(this.contents.same(null, null)).isTrue();
		assertThat(this.contents.same(List.of(full()), new ArrayList<>(List.of(full())))).isTrue();
	}

	@Test
	void eachDifferenceIsSeen() {
		List<Consumer<Node>> changes = List.of((node) -> node.name = null, (node) -> node.numbers[1] = 3,
				(node) -> node.numbers = new int[] { 1 }, (node) -> node.children.get(0).name = "other",
				(node) -> node.children.add(node("more")), (node) -> node.children.clear(),
				(node) -> node.byName.get("a").name = "other", (node) -> node.byName.put("b", node("b")),
				(node) -> node.tags.remove("x"), (node) -> node.maybe = Optional.empty(),
				(node) -> node.maybe = Optional.of(node("other")), (node) -> node.at = Instant.EPOCH.plusNanos(1),
				(node) -> node.pair = new Pair("left", node("other")), (node) -> node.parent = null,
				(node) -> ((Special) node).more = 8);
		for (Consumer<Node> change : changes) {
			Node copy = full();
			change.accept(copy);
			assertThat(this.contents.same(full(), copy)).as("change %d", changes.indexOf(change)).isFalse();
			assertThat(this.contents.same(copy, full())).as("change %d", changes.indexOf(change)).isFalse();
		}
		assertThat(this.contents.same(new Special(), new Node())).isFalse();
		assertThat(this.contents.same(null, "")).isFalse();
	}

	@Test
	void whatCannotBeComparedIsDifferent() {
		assertThat(this.contents.same(new AtomicInteger(1), new AtomicInteger(1))).isFalse();
		assertThat(this.contents.same(List.of(new Broken()), List.of(new Broken()))).isTrue();
		assertThat(this.contents.same(Set.of(new Broken()), Set.of(new Broken()))).isFalse();
		Node longest = node("end");
		Node itsCopy = node("end");
		for (int i = 0; i < 10_000; i++) {
			longest = child(longest);
			itsCopy = child(itsCopy);
		}
		assertThat(this.contents.same(longest, itsCopy)).isFalse();
	}

	private static Node child(Node parent) {
		Node node = new Node();
		node.parent = parent;
		return node;
	}

	static class Node {

		@Nullable String name;

		int[] numbers = {};

		List<Node> children = List.of();

		Map<String, Node> byName = Map.of();

		Set<String> tags = Set.of();

		Optional<Node> maybe = Optional.empty();

		@Nullable Instant at;

		@Nullable Pair pair;

		@Nullable Node parent;

	}

	static final class Special extends Node {

		int more = 7;

	}

	/** Equal to each other one that has the same left. */
	record Pair(String left, Node right) {

		@Override
		public boolean equals(Object other) {
			return other instanceof Pair pair && pair.left.equals(this.left);
		}

		@Override
		public int hashCode() {
			return this.left.hashCode();
		}

	}

	static final class Broken {

		@Override
		public boolean equals(Object other) {
			throw new IllegalStateException("as wanted");
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
