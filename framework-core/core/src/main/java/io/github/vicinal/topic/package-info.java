/**
 * Topics: messages from publishers to subscribers on one host. Source: the Shimmy paper
 * (shared-memory channels, publish/subscribe and stream model).
 * <ul>
 * <li>A <em>topic</em> is a name under which some applications publish and others
 * subscribe; it has one model and one type of payload.</li>
 * <li>In the model {@code PUB_SUB} each subscriber gets each message; in the model
 * {@code STREAM} subscribers compete, and each message goes to one of them.</li>
 * <li>A message is <em>handled</em> when the handler has returned. In a stream, what a
 * subscriber held and had not handled when its process ended is
 * <em>redelivered</em>.</li>
 * </ul>
 */
@NullMarked
package io.github.vicinal.topic;

import org.jspecify.annotations.NullMarked;
