/**
 * Passes questions on to the service {@code basic}, as in the original: a layer that
 * costs a call and adds nothing.
 */
@NullMarked
package io.github.vicinal.samples.trainticket.ticketinfo;

import org.jspecify.annotations.NullMarked;
