/**
 * The path {@code shm}: memory that two processes of one user on one host share.
 * <p>
 * A {@link io.github.vicinal.transport.shm.ShmPathServer} listens on
 * {@code <rendezvous directory>/<instance id>.shm}. A client connects, makes a segment,
 * and both map it; from then on calls are frames in the segment's lanes, and the socket
 * carries what is rare: contracts to bind, further memory, and the news of the other
 * side's death, which the kernel brings at once.
 * <ul>
 * <li>{@link io.github.vicinal.transport.shm.lane}: the segment, its lanes and slabs</li>
 * <li>{@link io.github.vicinal.transport.shm.bell}: waking the other process</li>
 * <li>{@link io.github.vicinal.transport.shm.waiting}: how long to stay awake before</li>
 * </ul>
 * <p>
 * <strong>Was the call executed?</strong> A call that found no lane or no memory, whose
 * arguments cannot be encoded, or that a server which stops refused, was not. A server
 * that stops orderly says when nothing is executed any more; calls that have no answer
 * then were not executed. Everything else that ends a call after its request was
 * published leaves that open.
 */
@NullMarked
package io.github.vicinal.transport.shm;

import org.jspecify.annotations.NullMarked;
