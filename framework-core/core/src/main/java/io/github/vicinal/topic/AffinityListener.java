package io.github.vicinal.topic;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Has a method of a bean called with the messages of a topic. The method takes the
 * payload, or a {@link Message} of it, and returns nothing. It is called from when the
 * application has started until it begins to stop.
 *
 * <pre class="code">
 * &#64;AffinityListener(topic = "orders", model = TopicModel.STREAM, concurrency = 4)
 * void bill(Order order) {
 * </pre>
 *
 * @since 0.1.0
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface AffinityListener {

	/**
	 * Returns the name of the topic. Placeholders are resolved.
	 * @return the name
	 */
	String topic();

	/**
	 * Returns who gets the messages; the same as at the publishers.
	 * @return the model
	 */
	TopicModel model() default TopicModel.PUB_SUB;

	/**
	 * Returns the name of the subscriber, for people.
	 * @return the name, empty for the bean's and the method's
	 */
	String name() default "";

	/**
	 * Returns the number of threads per publisher that handle messages of a stream at the
	 * same time.
	 * @return 1 to 64
	 */
	int concurrency() default 1;

	/**
	 * Returns how often a message is given to a method that throws.
	 * @return at least 1
	 */
	int maxAttempts() default 1;

	/**
	 * Returns the time between two attempts, doubled after each.
	 * @return milliseconds
	 */
	long backOffMillis() default 100;

}
