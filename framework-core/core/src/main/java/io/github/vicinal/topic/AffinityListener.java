package io.github.vicinal.topic;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Subscribes a method of a bean to the messages of a topic. Its parameters are the
 * payload, a {@link Message} of it, an {@link Acknowledgement}, and, where Spring
 * Messaging is present, whatever that resolves: {@code @Payload}, {@code @Header},
 * {@code @Headers} and its own {@code Message}. It returns nothing, or a
 * {@link java.util.concurrent.CompletionStage} with whose completion the message is
 * handled.
 *
 * <pre class="code">
 * &#64;AffinityListener(topic = "orders", model = TopicModel.STREAM, concurrency = 4,
 *         maxAttempts = 3, deadLetter = "orders.dead")
 * void bill(Order order) {
 * </pre>
 *
 * <p>
 * A method that has it several times subscribes to each of these topics.
 *
 * @since 0.1.0
 */
@Documented
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(AffinityListeners.class)
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
	 * Returns the name of the subscriber, under which a durable topic stores the position
	 * of its consumer; otherwise it is for people. Placeholders are resolved.
	 * @return the name, empty for the bean's and the method's
	 */
	String name() default "";

	/**
	 * Returns the number of threads per publisher that handle messages of a stream at the
	 * same time.
	 * @return 1 to 64; 1 for {@link TopicModel#PUB_SUB}
	 */
	int concurrency() default 1;

	/**
	 * Returns the number of times that a message is given to a method that throws.
	 * @return at least 1
	 */
	int maxAttempts() default 1;

	/**
	 * Returns the time between two attempts, doubled after each.
	 * @return milliseconds
	 */
	long backOffMillis() default 100;

	/**
	 * Returns the maximum number of messages that the method is given together. With more
	 * than one its parameter is a {@code List} of payloads, or of {@link Message}s of
	 * them, and has what is there when the method is called: at least one message, and
	 * nobody waits for more. The method throws a {@link BatchFailedException} to say
	 * which message could not be handled.
	 * @return 1 to 1024, 1 for one message at a time
	 */
	int maxBatch() default 1;

	/**
	 * Returns the id by which the listener is started and stopped. Placeholders are
	 * resolved.
	 * @return the id, empty for the bean's and the method's names, and that of the topic
	 * if the method has several listeners
	 */
	String id() default "";

	/**
	 * Returns whether the listener starts with the application; otherwise when it is
	 * started by its id. Placeholders are resolved.
	 * @return {@code true} or {@code false}
	 */
	String autoStartup() default "true";

	/**
	 * Returns the name of a bean that is given messages that could not be handled, after
	 * the last attempt: a {@code TopicErrorHandler}. Placeholders are resolved.
	 * @return the name, empty for none
	 */
	String errorHandler() default "";

	/**
	 * Returns the name of a topic to which messages go that could not be handled, after
	 * the last attempt, unless the error handler has handled them. Its model is
	 * {@link TopicModel#STREAM} and its payload that of the listener; headers say where a
	 * message comes from and what went wrong. Placeholders are resolved.
	 * @return the name, empty for none
	 */
	String deadLetter() default "";

}
