/**
 * A request server: a bounded queue, threads that take from it, and a rule for what is
 * rejected when more comes than they can do.
 * <p>
 * Terms:
 * <ul>
 * <li><em>POST delay</em>: from the arrival of a request until it is accepted, which is
 * when its sender may go on (Song et al., multithreaded application server).
 * <li><em>Sojourn</em>: from acceptance until a thread takes the request.
 * <li><em>Service time</em>: how long the handler runs.
 * <li><em>Response time</em>: from arrival until the handler is done.
 * <li><em>Overload</em>: for a whole interval no request waited for less than the target,
 * so that the queue does not absorb a burst but stands (CoDel, RFC 8289, section 3).
 * <li><em>Patience</em>: how long a request may wait while there is overload.
 * <li><em>Bulkhead</em>: the most requests of one channel, waiting and running together.
 * </ul>
 */
@NullMarked
package io.github.vicinal.requestserver;

import org.jspecify.annotations.NullMarked;
