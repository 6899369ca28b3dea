/**
 * The one public entry. It takes the place of the web server of the original's user
 * interface, under the same paths.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.gateway;

import org.jspecify.annotations.NullMarked;
