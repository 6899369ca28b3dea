/**
 * Topics over shared memory. Source: the Shimmy paper (channels in shared memory,
 * publish/subscribe and stream model).
 * <p>
 * Each publisher of a topic owns one
 * {@link io.github.vicinal.transport.shm.topic.TopicLog log}, a ring of messages that
 * only it writes and that all its subscribers map: a message is copied into it once,
 * whatever the number of subscribers. Each pair of publisher and subscriber has a small
 * {@link io.github.vicinal.transport.shm.topic.PairMemory page} in which the subscriber
 * says how far it has come and whether it sleeps, and bells to wake it. A connection
 * notifies each side of the other's end.
 */
@NullMarked
package io.github.vicinal.transport.shm.topic;

import org.jspecify.annotations.NullMarked;
