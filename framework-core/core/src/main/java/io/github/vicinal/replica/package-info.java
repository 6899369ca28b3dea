/**
 * Which replica of a service a call goes to.
 * <p>
 * A <em>replica</em> is one of several instances that may answer a call. Its
 * {@linkplain io.github.vicinal.replica.Locality locality} says how near it runs;
 * replicas of one locality are a <em>class</em>.
 * {@link io.github.vicinal.replica.ReplicaChoice} takes the nearest class that is not
 * <em>saturated</em> for the call, and within it the cheaper of two replicas taken at
 * random (<em>power of two choices</em>), by their <em>peak EWMA</em>: a mean of
 * latencies that rises to each peak at once and decays with time, multiplied by the calls
 * in flight.
 * <p>
 * A replica is saturated for a call when a call that meets as many others in flight there
 * must expect a worse latency than one to a farther class, its way included. What to
 * expect is a <em>tail score</em>: the mean plus two mean deviations, much as TCP derives
 * its retransmission timeout from round-trip times (Jacobson and Karels, "Congestion
 * Avoidance and Control", 1988).
 */
@NullMarked
package io.github.vicinal.replica;

import org.jspecify.annotations.NullMarked;
