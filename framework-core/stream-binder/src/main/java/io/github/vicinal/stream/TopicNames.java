package io.github.vicinal.stream;

import java.util.regex.Pattern;

import io.github.vicinal.boot.topic.GroupTopics;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.stream.provisioning.ProvisioningException;

/**
 * Names of topics for names of destinations and groups. Different names have different
 * topics: an upper-case letter becomes an underscore and the lower-case one, and an
 * underscore two of them.
 */
final class TopicNames {

	/** Stands for no partition. */
	static final int NO_PARTITION = -1;

	private static final int MAX_LENGTH = 64;

	private static final String PARTITION = "_-";

	private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

	private static final Pattern OF_PARTITION = Pattern.compile(".*" + PARTITION + "[0-9]+");

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

	private TopicNames() {
	}

	/**
	 * Returns the topic of a destination.
	 * @param destination name of the destination
	 * @throws ProvisioningException if it cannot be one
	 */
	static String topic(String destination) {
		String topic = encoded(destination, "destination");
		if (GroupTopics.topic(topic) != null) {
			throw new ProvisioningException(
					"The topic '%s' of destination '%s' has an underscore before a dot, as the streams of groups have: choose another name"
						.formatted(topic, destination));
		}
		return checked(topic, destination, null);
	}

	/**
	 * Returns the stream of a consumer group.
	 * @param topic the destination's topic
	 * @param group name of the group
	 * @throws ProvisioningException if it cannot be one
	 */
	static String stream(String topic, String group) {
		return checked(GroupTopics.name(topic, encoded(group, "group")), topic, group);
	}

	/**
	 * Returns the stream of one partition of a consumer group. A hyphen never follows an
	 * underscore in the encoded name of a group.
	 * @param topic the destination's topic
	 * @param group name of the group
	 * @param partition number of the partition, from 0
	 * @throws ProvisioningException if it cannot be one
	 */
	static String stream(String topic, String group, int partition) {
		return checked(GroupTopics.name(topic, encoded(group, "group") + PARTITION + partition), topic, group);
	}

	/** Returns the partition of a group's stream, {@link #NO_PARTITION} if it has all. */
	static int partition(String stream) {
		String group = String.valueOf(GroupTopics.group(stream));
		int at = 0;
		while (at < group.length() && !group.startsWith(PARTITION, at)) {
			// An underscore and the character behind it stand for one.
			at += (group.charAt(at) == '_') ? 2 : 1;
		}
		if (at < group.length()) {
			String number = group.substring(at + PARTITION.length());
			return NUMBER.matcher(number).matches() ? Integer.parseInt(number) : NO_PARTITION;
		}
		return NO_PARTITION;
	}

	/**
	 * Returns the name of the subscriber that takes a partition for a group.
	 * @param group name of the group
	 * @param partition number of the partition, or {@link #NO_PARTITION}
	 * @throws ProvisioningException if the name could be that of a partition
	 */
	static String consumer(String group, int partition) {
		if (partition != NO_PARTITION) {
			return encoded(group, "group") + PARTITION + partition;
		}
		if (OF_PARTITION.matcher(group).matches()) {
			throw new ProvisioningException(
					"The group '%s' ends as the partitions of groups do, with '%s' and a number: choose another name"
						.formatted(group, PARTITION));
		}
		return group;
	}

	private static String encoded(String name, String what) {
		if (!NAME.matcher(name).matches()) {
			throw new ProvisioningException(
					"The Vicinal binder takes letters, digits, dots, underscores and hyphens in names, the first of which is no dot or hyphen: the %s '%s' has others"
						.formatted(what, name));
		}
		StringBuilder encoded = new StringBuilder(name.length() + 8);
		for (int i = 0; i < name.length(); i++) {
			char each = name.charAt(i);
			if (each >= 'A' && each <= 'Z') {
				encoded.append('_').append((char) (each + 'a' - 'A'));
			}
			else {
				encoded.append((each == '_') ? "__" : String.valueOf(each));
			}
		}
		return encoded.toString();
	}

	private static String checked(String topic, String destination, @Nullable String group) {
		if (topic.length() > MAX_LENGTH) {
			throw new ProvisioningException(
					"The topic '%s' of destination '%s'%s has %d characters, and may have %d: choose shorter names"
						.formatted(topic, destination, (group != null) ? " and group '" + group + "'" : "",
								topic.length(), MAX_LENGTH));
		}
		return topic;
	}

}
