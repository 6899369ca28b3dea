package io.github.vicinal.server;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sets whether the contracts of a bean may be called over typed paths.
 * <p>
 * It changes nothing about what such a call passes: valves, filters, security and
 * interceptors of the application run for it as for an HTTP request, or the call goes
 * over HTTP.
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
