package io.github.vicinal.topic;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Holds the annotations of a method that has {@link AffinityListener} more than once.
 * Rarely written by hand.
 *
 * @since 0.1.0
 */
@Documented
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface AffinityListeners {

	/**
	 * Returns the annotations, one for each subscription.
	 * @return the annotations
	 */
	AffinityListener[] value();

}
