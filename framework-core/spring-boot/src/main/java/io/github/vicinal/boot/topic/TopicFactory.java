package io.github.vicinal.boot.topic;

import java.lang.reflect.Type;

import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Makes topics with the room that the application's properties give them. Thread-safe.
 *
 * <pre class="code">
 * &#64;Bean
 * Topic&lt;Order&gt; orders(TopicFactory topics) {
 *     return topics.topic("orders", TopicModel.STREAM, Order.class);
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public final class TopicFactory {

	private final TopicPlaces places;

	private final TopicRooms rooms;

	/**
	 * Creates a factory.
	 * @param places where each topic is
	 * @param rooms what room each topic has
	 */
	public TopicFactory(TopicPlaces places, TopicRooms rooms) {
		this.places = places;
		this.rooms = rooms;
	}

	/**
	 * Returns a topic to publish to.
	 * @param name its name
	 * @param model distribution of the messages
	 * @param type the type of the payload
	 * @param <T> the type of the payload
	 * @return the topic
	 * @throws TopicException if this application publishes it with other settings, or its
	 * name or properties do not allow it
	 */
	public <T> Topic<T> topic(String name, TopicModel model, Class<T> type) {
		return make(name, model, type);
	}

	/**
	 * Returns a topic to publish to, whose payload has type parameters.
	 * @param name its name
	 * @param model distribution of the messages
	 * @param type the type of the payload
	 * @param <T> the type of the payload
	 * @return the topic
	 * @throws TopicException if this application publishes it with other settings, or its
	 * name or properties do not allow it
	 */
	public <T> Topic<T> topic(String name, TopicModel model, ParameterizedTypeReference<T> type) {
		return make(name, model, type.getType());
	}

	/** A failure that says what to do becomes one that is explained at the start. */
	private <T> Topic<T> make(String name, TopicModel model, Type type) {
		try {
			return this.places.of(name).topic(this.rooms.settings(name, model, type));
		}
		catch (IllegalArgumentException ex) {
			throw new TopicException(String.valueOf(ex.getMessage()), ex);
		}
	}

}
