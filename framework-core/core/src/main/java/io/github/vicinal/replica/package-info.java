/**
 * Choice of the replica that a call goes to.
 * <p>
 * A <em>replica</em> is one of several instances that may answer a call. Its
 * {@linkplain io.github.vicinal.replica.Locality locality} says how near it runs;
 * replicas of one locality are a <em>class</em>.
 * {@link io.github.vicinal.replica.ReplicaChoice} takes the nearest class that is not
 * <em>saturated</em> for the call, and within it the cheaper of two replicas taken at
 * random (<em>power of two choices</em>), by their <em>peak EWMA</em>: a moving average
 * of latencies that rises immediately to each peak and decays with time, multiplied by
 * the calls in flight.
 * <p>
 * A replica is saturated for a call if the expected latency there, at the present number
 * of calls in flight, exceeds that of a farther class, network included. The expectation
 * is a <em>tail score</em>: the mean plus two mean deviations, much as TCP derives its
 * retransmission timeout from round-trip times (Jacobson and Karels, "Congestion
 * Avoidance and Control", 1988).
 */
@NullMarked
package io.github.vicinal.replica;

import org.jspecify.annotations.NullMarked;
