package io.github.vicinal.topic;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Settings of a topic, on which its publishers and subscribers agree, and its room.
 *
 * @param name up to 64 lower-case letters, digits, dots, underscores and hyphens, the
 * first of which is a letter, a digit or an underscore
 * @param model distribution of the messages; the same on all sides
 * @param type the type of the payload: {@code byte[]} and {@code String} travel as they
 * are, all else as JSON
 * @param capacityBytes room for messages of one publisher that somebody has yet to
 * handle, headers included; a power of two from 64 KiB to 1 GiB. A message may take half
 * of it
 * @param whenFull what happens if there is no room
 * @param patience maximum time that {@link WhenFull#BLOCK} waits, up to 365 days
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public record TopicSettings<T>(String name, TopicModel model, Type type, int capacityBytes, WhenFull whenFull,
		Duration patience) {

	/** The room that topics have unless they ask for another: 4 MiB. */
	public static final int DEFAULT_CAPACITY_BYTES = 4 << 20;

	private static final int LEAST_CAPACITY_BYTES = 64 << 10;

	private static final int MOST_CAPACITY_BYTES = 1 << 30;

	private static final Duration LONGEST_PATIENCE = Duration.ofDays(365);

	private static final Pattern NAME = Pattern.compile("[a-z0-9_][a-z0-9._-]{0,63}");

	/** Checks the settings. */
	public TopicSettings {
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException(
					"The name of a topic has up to 64 lower-case letters, digits, dots, underscores and hyphens, and begins with a letter, a digit or an underscore: '%s'"
						.formatted(name));
		}
		if (capacityBytes < LEAST_CAPACITY_BYTES || capacityBytes > MOST_CAPACITY_BYTES
				|| Integer.bitCount(capacityBytes) != 1) {
			throw new IllegalArgumentException(
					"The capacity of topic '%s' must be a power of two from %d to %d bytes, not %d".formatted(name,
							LEAST_CAPACITY_BYTES, MOST_CAPACITY_BYTES, capacityBytes));
		}
		if (patience.isNegative() || patience.compareTo(LONGEST_PATIENCE) > 0) {
			throw new IllegalArgumentException("The patience of topic '%s' must be from 0 to %d days, not %s"
				.formatted(name, LONGEST_PATIENCE.toDays(), patience));
		}
	}

	/**
	 * Returns the settings of a topic with the usual room, whose publishers wait for room
	 * for up to 5 s.
	 * @param name the name of the topic
	 * @param model distribution of the messages
	 * @param type the type of the payload
	 * @param <T> the type of the payload
	 * @return the settings
	 */
	public static <T> TopicSettings<T> of(String name, TopicModel model, Class<T> type) {
		return new TopicSettings<>(name, model, type, DEFAULT_CAPACITY_BYTES, WhenFull.BLOCK, Duration.ofSeconds(5));
	}

	/**
	 * Returns these settings with another room.
	 * @param bytes a power of two
	 * @return the settings
	 */
	public TopicSettings<T> withCapacity(int bytes) {
		return new TopicSettings<>(this.name, this.model, this.type, bytes, this.whenFull, this.patience);
	}

	/**
	 * Returns these settings with another rule for messages without room.
	 * @param rule what happens
	 * @param longest maximum time that {@link WhenFull#BLOCK} waits
	 * @return the settings
	 */
	public TopicSettings<T> whenFull(WhenFull rule, Duration longest) {
		return new TopicSettings<>(this.name, this.model, this.type, this.capacityBytes, rule, longest);
	}

}
