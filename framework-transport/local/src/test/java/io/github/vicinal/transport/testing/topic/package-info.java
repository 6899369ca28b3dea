/**
 * The compatibility kit of topics: one list of behaviours that every kind of topic has to
 * show, for each way to subscribe.
 * <p>
 * A kind of topic extends
 * {@link io.github.vicinal.transport.testing.topic.TopicCompatibilityKit}, says which
 * {@link io.github.vicinal.transport.testing.topic.TopicKitEnvironment} its applications
 * run in, and names each
 * {@link io.github.vicinal.transport.testing.topic.TopicDifference} that is intended.
 */
@NullMarked
package io.github.vicinal.transport.testing.topic;

import org.jspecify.annotations.NullMarked;
