/**
 * The TrainTicket sample: its main class; each service has a package of its own.
 */
@NullMarked
package io.github.vicinal.samples.trainticket;

import org.jspecify.annotations.NullMarked;
