/**
 * The application that the compatibility kit calls: plain {@code @RestController} classes
 * that implement the contracts and know nothing about paths. An environment imports
 * {@link io.github.vicinal.testkit.server.KitServerConfiguration} into a Spring MVC
 * application and is done.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.testkit.server;

import org.jspecify.annotations.NullMarked;
