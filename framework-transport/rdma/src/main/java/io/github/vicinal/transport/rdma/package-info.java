/**
 * The path {@code rdma}: one reliable connection per peer, and for each direction a ring
 * in the memory of the receiver, which the sender writes by RDMA.
 * <p>
 * Frames are those of {@link io.github.vicinal.transport.wire.FrameDescriptor}. A frame
 * travels as one record of the ring, or in several if it is large. The sender keeps a
 * copy of the ring, publishes a batch of records by one write with an immediate number,
 * and reuses room once the receiver has returned it. See {@code OutboundRing} and
 * {@code InboundRing}.
 * <p>
 * <strong>Identity.</strong> Both sides prove that they know the server's instance id, as
 * the path {@code tcp} does.
 * <p>
 * <strong>Peers.</strong> A peer can write the inbound ring of its connection at any
 * time, and nothing else. Each number in it is read once and checked, and frames are
 * parsed from a copy.
 * <p>
 * <strong>Confidentiality.</strong> RDMA does not encrypt. The path is for fabrics whose
 * hosts are trusted. Topics do not rely on that: their frames carry records of TLS, by
 * which both sides prove who they are. See {@code TopicSession}.
 */
@NullMarked
package io.github.vicinal.transport.rdma;

import org.jspecify.annotations.NullMarked;
