package io.github.vicinal.channel;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a channel answer calls of a method from a cache in the caller's process.
 * <p>
 * Only for methods of a contract with {@link AffinityChannel} that may be repeated and
 * return a value: the key is the channel and the method with its arguments, which are
 * compared by value, and must not be changed before the call has ended. Calls with the
 * same arguments at the same time are made once. What fails is not cached, nor is
 * {@code null}. No caller sees what another does to a value: values that are not deeply
 * immutable are copied for each call.
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
	 * How long an answer may be used, for example {@code 500ms}, {@code 30s} or
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

}
