package io.github.vicinal.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Adds channels, and {@link ChannelCalls}, to the application context of a test. The
 * attributes replace properties of the application with what makes tests repeatable.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("vicinal")
public @interface AutoConfigureChannels {

	/**
	 * Returns whether a few calls go by another path than the others, to compare costs.
	 * @return {@code vicinal.compare-paths}
	 */
	boolean comparePaths() default false;

	/**
	 * Returns how long calls may go by other paths until one goes over HTTP, to confirm
	 * that the address still leads to the same instance.
	 * @return {@code vicinal.confirm-interval}; {@code 0s} for never
	 */
	String confirmInterval() default "0s";

	/**
	 * Returns the shortest time between two attempts to connect a path.
	 * @return {@code vicinal.reconnect-delay}
	 */
	String reconnectDelay() default "20ms";

}
