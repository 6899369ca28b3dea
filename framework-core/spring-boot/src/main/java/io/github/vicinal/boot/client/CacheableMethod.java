package io.github.vicinal.boot.client;

import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathException;
import org.jspecify.annotations.Nullable;

/**
 * A method whose calls a {@link CallCache} answers. There is one such object for each
 * method of a channel. Thread-safe.
 *
 * @since 0.1.0
 */
public interface CacheableMethod {

	/**
	 * Returns the method of the contract.
	 * @return the method
	 */
	ContractMethod method();

	/**
	 * Returns what the method returns, and when.
	 * @return the shape
	 */
	ResultShape shape();

	/**
	 * Returns the HTTP method of its requests.
	 * @return such as {@code GET}; empty if it is not known
	 */
	String httpMethod();

	/**
	 * Returns the names of the headers that a call's arguments fill.
	 * @param arguments the arguments
	 * @return names in lower case
	 */
	Set<String> explainedHeaders(@Nullable Object[] arguments);

	/**
	 * Returns what the HTTP client raises when a request gets no answer.
	 * @param failure why there is no answer
	 * @return an exception to be thrown to the caller
	 */
	RuntimeException raised(PathException failure);

	/**
	 * Runs something as the caller that subscribed: with all that the subscription and
	 * the calling thread carry, such as a security context.
	 * @param <T> the type of what is returned
	 * @param subscription the context of the subscriber
	 * @param part what to run, on the calling thread
	 * @return what it returns
	 */
	<T extends @Nullable Object> T asSubscriber(Object subscription, Supplier<T> part);

}
