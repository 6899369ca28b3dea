/**
 * The application that the compatibility kit calls: plain {@code @RestController} classes
 * that implement the contracts and know nothing about paths. An environment imports
 * {@link io.github.vicinal.testkit.server.KitServerConfiguration} into a Spring MVC
 * application and is done. The observation handlers and thread-locals that both sides of
 * a call use are here, too.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.vicinal.testkit.server;

import org.jspecify.annotations.NullMarked;
