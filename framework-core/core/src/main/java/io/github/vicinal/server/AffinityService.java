package io.github.vicinal.server;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says of a bean that its contracts may be called without passing the servlet stack.
 * <p>
 * Typed paths call the bean's Spring proxy, so that method security, transactions and
 * other aspects apply. Servlet filters and handler interceptors do not run. A service
 * whose path is covered by a security filter chain, by a filter of the application's own
 * or by a handler interceptor is therefore only offered over HTTP, unless it carries this
 * annotation.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface AffinityService {

	/**
	 * Whether typed paths are offered at all.
	 * @return {@code false} to leave the service to HTTP
	 */
	boolean enabled() default true;

}
