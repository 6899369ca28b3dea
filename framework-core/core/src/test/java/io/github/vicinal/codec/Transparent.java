package io.github.vicinal.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A contract with every kind of type that counts as transparent. */
interface Transparent {

	Scalars scalars(Scalars value);

	Boxes boxes(Boxes value);

	Times times(Times value);

	Numbers numbers(Numbers value);

	Containers containers(Containers value);

	Arrays arrays(Arrays value);

	Keys keys(Keys value);

	Node node(Node value);

	Page<Scalars> page(Page<Scalars> value);

	Normalising normalising(Normalising value);

	Named named(Named value);

	Wide wide(Wide value);

	Twelve twelve(Twelve value);

	List<Scalars> list(List<Scalars> value);

	List<? extends Scalars> wildcards(List<? extends Scalars> value);

	Map<String, List<Integer>> map(Map<String, List<Integer>> value);

	Set<Color> set(Set<Color> value);

	String[] strings(String[] value);

	String text(String value);

	byte[] bytes(byte[] value);

	int add(int a, int b);

	void nothing();

	Empty empty(Empty value);

	enum Color {

		RED, GREEN, BLUE

	}

	enum Op {

		PLUS {
			@Override
			int apply(int a, int b) {
				return a + b;
			}
		},
		MINUS {
			@Override
			int apply(int a, int b) {
				return a - b;
			}
		};

		abstract int apply(int a, int b);

	}

	record Scalars(boolean flag, byte b, short s, int i, long l, float f, double d, char c, String text, UUID uuid) {
	}

	record Boxes(Boolean flag, Byte b, Short s, Integer i, Long l, Float f, Double d, Character c, Color color, Op op) {
	}

	record Times(Instant instant, LocalDate date, LocalTime time, LocalDateTime dateTime, Duration duration, URI uri) {
	}

	record Numbers(BigDecimal decimal, BigInteger integer, double d, float f) {
	}

	record Containers(List<String> list, Set<Integer> set, Collection<Long> collection, ArrayList<String> arrayList,
			HashSet<String> hashSet, LinkedHashSet<String> linkedHashSet, Map<String, Integer> map,
			HashMap<String, String> hashMap, LinkedHashMap<String, Scalars> linkedHashMap, List<List<Integer>> nested,
			List<Color> colors) {
	}

	@SuppressWarnings("ArrayRecordComponent")
	record Arrays(byte[] bytes, int[] ints, long[] longs, double[] doubles, float[] floats, short[] shorts,
			boolean[] booleans, char[] chars, String[] strings, int[][] matrix, Color[] colors, List<String>[] lists) {
	}

	record Keys(Map<Integer, String> ints, Map<Long, String> longs, Map<UUID, String> uuids, Map<Color, String> colors,
			Map<String, Map<Op, List<Color>>> nested) {
	}

	record Node(int value, Node next, List<Node> children) {
	}

	record Page<T>(List<T> content, T first, int total) {
	}

	record Normalising(List<String> items, String name) {

		public Normalising {
			items = (items != null) ? List.copyOf(items) : List.of();
			name = (name != null) ? name : "";
		}

		/** A lie, to see that accessors are what is read. */
		@Override
		public String name() {
			return this.name.strip();
		}

	}

	record Named(boolean isActive, String getaway, String settle, int _under, int x, int X1) {
	}

	/** Has more components than the template has. */
	record Wide(int a, Integer b, String c, long d, double e, List<Wide> f, boolean g, byte h, short i, char j, float k,
			UUID l, String m, Color n) {
	}

	/** Has as many components as the template has. */
	record Twelve(int a, Integer b, String c, long d, double e, Twelve f, boolean g, byte h, short i, char j, float k,
			UUID l) {
	}

	record Empty() {
	}

}
