/**
 * The path {@code tcp}: one TCP connection per peer, which carries all calls of all
 * contracts at the same time.
 * <p>
 * Frames are those of {@link io.github.vicinal.transport.wire.FrameDescriptor}; answers
 * find their calls by the correlation. Event loops move bytes and never run handlers:
 * calls are decoded, executed and encoded on threads of the server.
 * <p>
 * <strong>Was the call executed?</strong> It may have been once it was handed to an open
 * connection, unless the server refuses it. A server that stops says GOODBYE, refuses the
 * calls that come after it, and answers those before it.
 * <p>
 * <strong>Who is there?</strong> Both sides prove that they know the server's instance
 * id, and neither says it: see {@code InstanceProof}.
 * <p>
 * <strong>Who listens in?</strong> Without an SSL bundle the path speaks plaintext, and
 * for that reason on loopback addresses only. With one, connections use TLS.
 */
@NullMarked
package io.github.vicinal.transport.tcp;

import org.jspecify.annotations.NullMarked;
