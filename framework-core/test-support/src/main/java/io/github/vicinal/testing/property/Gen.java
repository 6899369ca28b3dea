package io.github.vicinal.testing.property;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * A source of generated values. One value in eight is an edge of its range, since edges
 * find most faults. The same seed gives the same values on every JDK. Not thread-safe.
 */
public final class Gen {

	private static final int EDGE_EVERY = 8;

	/** Text has characters of one, two and three bytes, controls, and pairs. */
	private static final String[] TEXT = { "a", "z", "0", " ", "\t", "\n", "\r", "\0", "\"", "\\", ",", ";", "=", ":",
			"%", "\u007f", "\u00e9", "\u0100", "\u20ac", "\ufeff", "\ufffd", "\ud83d\ude00" };

	private final SplittableRandom random;

	/**
	 * Creates a source.
	 * @param seed decides all values
	 */
	public Gen(long seed) {
		this.random = new SplittableRandom(seed);
	}

	private boolean isEdge() {
		return this.random.nextInt(EDGE_EVERY) == 0;
	}

	/**
	 * Returns an integer.
	 * @param min smallest value
	 * @param max largest value, inclusive
	 * @return the value
	 */
	public int integer(int min, int max) {
		return (int) integer((long) min, max);
	}

	/**
	 * Returns an integer. Ranges with more than 1000 values yield small values more
	 * often.
	 * @param min smallest value
	 * @param max largest value, inclusive
	 * @return the value
	 */
	public long integer(long min, long max) {
		if (min > max) {
			throw new IllegalArgumentException("The range from " + min + " to " + max + " is empty");
		}
		if (isEdge()) {
			long edge = one(min, min + 1, max - 1, max, 0L, 1L, -1L);
			return (edge >= min && edge <= max) ? edge : min;
		}
		if (max - min > 1000 && this.random.nextBoolean()) {
			long small = this.random.nextLong() >> this.random.nextInt(64);
			if (small >= min && small <= max) {
				return small;
			}
		}
		return (max == Long.MAX_VALUE)
				? ((min == Long.MIN_VALUE) ? this.random.nextLong() : this.random.nextLong(min - 1, max) + 1)
				: this.random.nextLong(min, max + 1);
	}

	/**
	 * Returns a finite number.
	 * @param min smallest value
	 * @param max largest value
	 * @return the value
	 */
	public double number(double min, double max) {
		return isEdge() ? one(min, max) : min + this.random.nextDouble() * (max - min);
	}

	/**
	 * Returns true or false, equally often.
	 * @return the value
	 */
	public boolean bool() {
		return this.random.nextBoolean();
	}

	/**
	 * Returns one of several values, each equally often.
	 * @param <T> their type
	 * @param values at least one
	 * @return the value
	 */
	@SafeVarargs
	public final <T> T one(T... values) {
		return values[this.random.nextInt(values.length)];
	}

	/**
	 * Returns any bytes.
	 * @param min smallest length
	 * @param max largest length, inclusive
	 * @return a new array
	 */
	public byte[] bytes(int min, int max) {
		byte[] bytes = new byte[integer(min, max)];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
		}
		return bytes;
	}

	/**
	 * Returns any text, also such that is not valid Unicode.
	 * @param min smallest length in {@code char}s
	 * @param max largest length, inclusive
	 * @return the text
	 */
	public String text(int min, int max) {
		int length = integer(min, max);
		boolean plain = bool();
		StringBuilder text = new StringBuilder(length);
		while (text.length() < length) {
			if (plain) {
				text.append((char) this.random.nextInt(' ', 0x7f));
			}
			else if (bool()) {
				text.append(one(TEXT));
			}
			else {
				text.append((char) this.random.nextInt(Character.MAX_VALUE + 1));
			}
		}
		text.setLength(length);
		return text.toString();
	}

	/**
	 * Returns text of some characters.
	 * @param characters what it is made of
	 * @param length its length
	 * @return the text
	 */
	public String text(String characters, int length) {
		StringBuilder text = new StringBuilder(length);
		for (int i = 0; i < length; i++) {
			text.append(characters.charAt(this.random.nextInt(characters.length())));
		}
		return text.toString();
	}

	/**
	 * Returns a list.
	 * @param <T> the type of its elements
	 * @param min smallest length
	 * @param max largest length, inclusive
	 * @param element generates an element
	 * @return a new list
	 */
	public <T> List<T> list(int min, int max, Supplier<T> element) {
		List<T> list = new ArrayList<>();
		for (int i = integer(min, max); i > 0; i--) {
			list.add(element.get());
		}
		return list;
	}

	/**
	 * Returns a map.
	 * @param <K> the type of its keys
	 * @param <V> the type of its values
	 * @param max largest size
	 * @param key generates a key
	 * @param value generates a value
	 * @return a new map in the order of generation
	 */
	public <K, V> Map<K, V> map(int max, Supplier<K> key, Supplier<V> value) {
		Map<K, V> map = new LinkedHashMap<>();
		for (int i = integer(0, max); i > 0; i--) {
			map.put(key.get(), value.get());
		}
		return map;
	}

}
