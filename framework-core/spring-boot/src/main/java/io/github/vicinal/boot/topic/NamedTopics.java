package io.github.vicinal.boot.topic;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Properties of topics by name. Spring Boot ends the key of a map at its first dot, so
 * the properties of topics that have dots in their names are read here.
 */
final class NamedTopics {

	private static final ConfigurationPropertyName NAMED = ConfigurationPropertyName.of("vicinal.topics.named");

	private final Map<String, TopicProperties.Room> rooms;

	private NamedTopics(Map<String, TopicProperties.Room> rooms) {
		this.rooms = rooms;
	}

	/**
	 * Reads the properties of all topics.
	 * @param properties those of topics without dots, or with their names in brackets
	 * @param environment where the others are
	 */
	static NamedTopics of(TopicProperties properties, Environment environment) {
		Map<String, TopicProperties.Room> rooms = new HashMap<>();
		Binder binder = Binder.get(environment);
		for (ConfigurationPropertyName name : withDots(environment)) {
			binder.bind(name, Bindable.of(TopicProperties.Room.class)).ifBound((room) -> rooms.put(topic(name), room));
		}
		rooms.putAll(properties.named());
		return new NamedTopics(rooms);
	}

	/** Returns the names below which there are properties, with two elements or more. */
	private static Set<ConfigurationPropertyName> withDots(Environment environment) {
		Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
		ConfigurationPropertySources.get(environment).forEach((source) -> {
			if (source instanceof IterableConfigurationPropertySource all) {
				all.stream().filter(NAMED::isAncestorOf).forEach((name) -> {
					int end = name.getNumberOfElements();
					while (name.isNumericIndex(end - 1)) {
						end--;
					}
					if (end - 1 - NAMED.getNumberOfElements() > 1) {
						names.add(name.chop(end - 1));
					}
				});
			}
		});
		return names;
	}

	private static String topic(ConfigurationPropertyName name) {
		StringBuilder topic = new StringBuilder();
		for (int i = NAMED.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
			topic.append(topic.isEmpty() ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
		}
		return topic.toString();
	}

	/** Returns whether a topic has properties of its own. */
	boolean contains(String topic) {
		return this.rooms.containsKey(topic);
	}

	/**
	 * Returns the properties of a topic. A consumer group's stream has those of its topic
	 * unless it has its own.
	 * @param topic its name
	 */
	TopicProperties.Room room(String topic) {
		TopicProperties.Room room = this.rooms.get(topic);
		if (room != null) {
			return room;
		}
		String parent = GroupTopics.topic(topic);
		return (parent != null) ? this.rooms.getOrDefault(parent, TopicProperties.DEFAULT) : TopicProperties.DEFAULT;
	}

}
