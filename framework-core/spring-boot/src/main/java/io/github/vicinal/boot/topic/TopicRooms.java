package io.github.vicinal.boot.topic;

import java.lang.reflect.Type;

import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;

/**
 * Gives a topic its room.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TopicRooms {

	/**
	 * Returns the settings of a topic.
	 * @param name its name
	 * @param model distribution of the messages
	 * @param type the type of the payload
	 * @param <T> the type of the payload
	 * @return the settings
	 */
	<T> TopicSettings<T> settings(String name, TopicModel model, Type type);

}
