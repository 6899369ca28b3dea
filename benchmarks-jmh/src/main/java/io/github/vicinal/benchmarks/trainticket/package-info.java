/** The modes of the TrainTicket sample, against each other. */
@NullMarked
package io.github.vicinal.benchmarks.trainticket;

import org.jspecify.annotations.NullMarked;
