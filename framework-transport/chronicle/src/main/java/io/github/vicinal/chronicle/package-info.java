/**
 * Durable topics: messages are appended to a Chronicle Queue, and the bells of topics in
 * shared memory wake their subscribers.
 * <ul>
 * <li>A topic is a directory with one queue, to which all its publishers append.</li>
 * <li>A <em>consumer</em> is a name under which a position is stored. In
 * publish/subscribe each subscriber is a consumer of its own; the subscribers of a stream
 * share one position.</li>
 * <li>The <em>index</em> of a message is its number in the queue.</li>
 * </ul>
 */
@NullMarked
package io.github.vicinal.chronicle;

import org.jspecify.annotations.NullMarked;
