/**
 * Lanes: calls between two processes in a segment of shared memory. Internal to Vicinal.
 * <p>
 * A <em>segment</em> belongs to one pair of a client and a server. A <em>lane</em> is a
 * mailbox in it that carries one call at a time;
 * {@link io.github.vicinal.transport.shm.lane.SegmentLayout} draws where everything is. A
 * payload that does not fit into a lane lies in a <em>slab</em> of an <em>arena</em>, a
 * further file of the side that writes it; an answer lies where its request was if it
 * fits there.
 * <p>
 * {@link io.github.vicinal.transport.shm.lane.LaneClient} and
 * {@link io.github.vicinal.transport.shm.lane.LaneServer} are the two ends. Neither
 * trusts the other's words: each word is read once and checked, and the state that
 * assigns lanes and slabs is never shared. Payloads are copied before they are looked at;
 * code that bears changes meanwhile may look in place, through a read-only window that
 * ends where the payload does.
 */
@NullMarked
package io.github.vicinal.transport.shm.lane;

import org.jspecify.annotations.NullMarked;
