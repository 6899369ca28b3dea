package io.github.vicinal.exchange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * The header fields of a request or a response, in order, as they are on the wire: a name
 * may occur several times. Names are compared without regard to case. Immutable.
 *
 * @since 0.1.0
 */
public final class HttpFields {

	/** No fields. */
	public static final HttpFields NONE = new HttpFields(new String[0]);

	/** Alternating names and values. */
	private final String[] entries;

	private HttpFields(String[] entries) {
		this.entries = entries;
	}

	/**
	 * Starts a list of fields.
	 * @return a builder; not thread-safe
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the number of fields.
	 * @return a count; a name that occurs twice counts twice
	 */
	public int size() {
		return this.entries.length / 2;
	}

	/**
	 * Returns the name of a field.
	 * @param index a number from 0
	 * @return the name as it was written
	 */
	public String name(int index) {
		return this.entries[index * 2];
	}

	/**
	 * Returns the value of a field.
	 * @param index a number from 0
	 * @return the value
	 */
	public String value(int index) {
		return this.entries[index * 2 + 1];
	}

	/**
	 * Returns the first value of a field.
	 * @param name its name
	 * @return the value, or {@code null} if there is no such field
	 */
	public @Nullable String first(String name) {
		for (int i = 0; i < this.entries.length; i += 2) {
			if (this.entries[i].equalsIgnoreCase(name)) {
				return this.entries[i + 1];
			}
		}
		return null;
	}

	/**
	 * Returns whether there is a field.
	 * @param name its name
	 * @return whether the name occurs
	 */
	public boolean contains(String name) {
		return first(name) != null;
	}

	/**
	 * Passes all fields on, in order.
	 * @param action takes a name and a value
	 */
	public void forEach(BiConsumer<String, String> action) {
		for (int i = 0; i < this.entries.length; i += 2) {
			action.accept(this.entries[i], this.entries[i + 1]);
		}
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof HttpFields fields && Arrays.equals(fields.entries, this.entries);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.entries);
	}

	/** Names only: values may be secrets. */
	@Override
	public String toString() {
		List<String> names = new ArrayList<>(size());
		forEach((name, value) -> names.add(name));
		return names.toString();
	}

	/**
	 * Collects fields. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private static final int FIRST_ENTRIES = 32;

		private String[] entries = new String[FIRST_ENTRIES];

		private int count;

		private Builder() {
		}

		/**
		 * Adds a field.
		 * @param name its name
		 * @param value its value
		 * @return this builder
		 */
		public Builder add(String name, String value) {
			if (this.count == this.entries.length) {
				this.entries = Arrays.copyOf(this.entries, this.count * 2);
			}
			this.entries[this.count++] = name;
			this.entries[this.count++] = value;
			return this;
		}

		/**
		 * Returns the fields that were added.
		 * @return the fields
		 */
		public HttpFields build() {
			return (this.count == 0) ? NONE : new HttpFields(Arrays.copyOf(this.entries, this.count));
		}

	}

}
