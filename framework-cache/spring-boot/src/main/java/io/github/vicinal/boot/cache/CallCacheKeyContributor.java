package io.github.vicinal.boot.cache;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Adds to the keys of cached calls what their answers depend on besides the arguments,
 * such as the user or the tenant. Needed where the HTTP client adds such things to
 * requests: every {@link RequestAddition} of a client must be covered by a bean of this
 * type, else its calls must not be cached. Thread-safe.
 *
 * <pre class="code">
 * &#064;Bean
 * CallCacheKeyContributor user() {
 *     return new CallCacheKeyContributor() {
 *         public boolean covers(RequestAddition addition) {
 *             return addition.isFrom(BearerTokenInterceptor.class);
 *         }
 *         public Object part(String channel, Method method) {
 *             Authentication user = SecurityContextHolder.getContext().getAuthentication();
 *             return (user != null) ? user.getName() : null;
 *         }
 *     };
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public interface CallCacheKeyContributor {

	/**
	 * Returns whether callers for whom {@link #part} is equal get the same from an
	 * addition. Asked when a client is made.
	 * @param addition what the client may add to requests
	 * @return {@code false} for all that is not known for certain
	 */
	boolean covers(RequestAddition addition);

	/**
	 * Returns a part of the key of a call. Asked for each call of a client of which it
	 * covers an addition, on the caller's thread; for a {@code Mono} when it is
	 * subscribed to.
	 * @param channel the name of the channel
	 * @param method the method that is called
	 * @return an immutable value with {@code equals} and {@code hashCode}, or
	 * {@code null} if this call must not be answered from a cache
	 */
	@Nullable Object part(String channel, Method method);

}
