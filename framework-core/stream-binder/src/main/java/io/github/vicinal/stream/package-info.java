/**
 * Binder of Spring Cloud Stream over topics. Nothing here is called by applications.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.stream;

import org.jspecify.annotations.NullMarked;
