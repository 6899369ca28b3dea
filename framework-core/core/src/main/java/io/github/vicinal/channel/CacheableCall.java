package io.github.vicinal.channel;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a channel answer calls of a method from a cache in the caller's process.
 * <p>
 * <strong>Who may see what.</strong> One cache serves all users of the process: an answer
 * to one caller is given to any other caller with the same arguments. This is safe only
 * if the requests of all callers are the same. Therefore the application does not start
 * if its HTTP client adds something to requests that may differ from caller to caller (an
 * interceptor, an initializer, a consumer of default requests, and their kind), unless
 * <ul>
 * <li>a bean of type {@code CallCacheKeyContributor} covers each of these additions:
 * callers then share answers only if its part of the key is the same, or
 * <li>{@link #sharedByAllCallers()} says that all callers may see the same answers.
 * </ul>
 * If the client cannot be inspected, calls are not cached, and a warning says so. A
 * header or cookie that is the same for all requests is no such addition: all users of
 * the process act in its name, as they do over HTTP.
 * <p>
 * <strong>What the server says counts.</strong> An answer is kept only if it has status
 * 200 or 203 and its headers allow a shared cache to keep it (RFC 9111): not with
 * {@code Set-Cookie}, {@code no-store}, {@code no-cache}, {@code private} (which is kept
 * if a key contributor distinguishes callers) or a {@code Vary} that the arguments do not
 * explain. {@code s-maxage}, {@code max-age} and {@code Expires} shorten
 * {@link #expireAfterWrite()}, and never lengthen it. Time counts from when the answer
 * was made, not from when it was stored.
 * <p>
 * Only for methods of a contract with {@link AffinityChannel} that may be repeated and
 * return a value: the key is the channel and the method with its arguments, which are
 * compared by value, and must not be changed before the call has ended. Calls with the
 * same key at the same time are made once, if the answer may be kept. What fails is not
 * cached, nor is {@code null}. No caller sees what another does to a value: values that
 * are not deeply immutable are copied for each call. If a copy is not like the original,
 * as where JSON is read into properties that are not written, calls are not cached, and a
 * warning says so.
 *
 * <pre class="code">
 * &#064;CacheableCall(expireAfterWrite = "30s")
 * &#064;GetExchange("/prices/{id}")
 * Price price(&#064;PathVariable long id);
 * </pre>
 *
 * Size, policy and times come from {@code vicinal.cache.*} and
 * {@code vicinal.cache.caches.<name>.*}.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface CacheableCall {

	/**
	 * Longest time that an answer may be used, for example {@code 500ms}, {@code 30s} or
	 * {@code PT5M}. Properties win over it.
	 * @return a positive duration
	 */
	String expireAfterWrite();

	/**
	 * Name of the cache in properties, metrics and reports. Methods of one name share the
	 * cache's bound, not its entries, and must agree on {@link #expireAfterWrite()}.
	 * @return the name, or empty for the channel's name, a dot, and the method's name
	 */
	String cache() default "";

	/**
	 * Whether all callers may see the same answers, whatever the HTTP client adds to
	 * requests, such as who calls. Only for answers that do not depend on it, and that
	 * every caller may see: a caller that the server would reject gets them as well.
	 * {@code vicinal.cache.caches.<name>.shared-by-all-callers} says the same.
	 * @return {@code false} by default
	 */
	boolean sharedByAllCallers() default false;

}
