package io.github.vicinal.channel;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets the calls of a contract take the shortest path to each peer.
 * <p>
 * On a contract interface it applies to all its methods. On a method
 * {@link #idempotent()} overrides what the interface says, {@code paths = "http"} leaves
 * its calls to HTTP, and nothing else can be said:
 *
 * <pre class="code">
 * &#064;AffinityChannel
 * &#064;HttpExchange("/baskets")
 * public interface Baskets {
 *
 *     &#064;GetExchange("/{id}")
 *     Basket get(&#064;PathVariable long id);
 *
 *     &#064;AffinityChannel(idempotent = Idempotence.YES)
 *     &#064;PostExchange("/search")
 *     List&lt;Basket&gt; search(&#064;RequestBody Query query);
 *
 * }
 * </pre>
 *
 * On the interface of a Feign client of Spring Cloud it does the same for the methods for
 * which the server has a handler of equal structure.
 * <p>
 * For contracts that cannot be annotated, such as generated ones, it stands on a
 * configuration class and names them by {@link #types()} or {@link #groups()}. The same
 * can be said by properties, which win over annotations:
 * {@code vicinal.channels.<name>.*}.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE })
public @interface AffinityChannel {

	/**
	 * Name of the channel in configuration, metrics and reports. By default the group of
	 * the HTTP service client, or the context of the Feign client; for a proxy without a
	 * group the simple name of the contract.
	 * @return the name, or empty for the default
	 */
	String name() default "";

	/**
	 * Ids of the paths that may be used, best first, such as {@code direct}, {@code shm},
	 * {@code uds} and {@code http}. HTTP always remains as the last resort. On a method
	 * only {@code http} alone, for calls that take no other path.
	 * @return the ids, or empty for all, nearest first
	 */
	String[] paths() default {};

	/**
	 * Whether a call that may have been executed may be repeated on the next path.
	 * @return by default what the interface says, else the HTTP method
	 */
	Idempotence idempotent() default Idempotence.BY_HTTP_METHOD;

	/**
	 * Contracts that this annotation is for; only on a configuration class.
	 * @return contract interfaces
	 */
	Class<?>[] types() default {};

	/**
	 * Groups of HTTP service clients that this annotation is for; only on a configuration
	 * class.
	 * @return group names
	 */
	String[] groups() default {};

	/**
	 * Whether a call may be executed twice without harm.
	 *
	 * @since 0.1.0
	 */
	enum Idempotence {

		/** {@code GET}, {@code HEAD} and {@code OPTIONS} may be repeated. */
		BY_HTTP_METHOD,

		/** May be repeated. */
		YES,

		/** Must not be repeated. */
		NO

	}

}
