/**
 * Orders of high-speed trains, and what the sister service for other trains has in common
 * with it.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.order;

import org.jspecify.annotations.NullMarked;
