/**
 * Routes: which stations follow each other, and at what distance.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.route;

import org.jspecify.annotations.NullMarked;
