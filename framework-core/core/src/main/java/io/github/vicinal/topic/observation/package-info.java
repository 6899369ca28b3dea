/**
 * Observations of messages, and their names: one observation when a message is published
 * and one each time that a subscriber handles it. The names follow the conventions of
 * OpenTelemetry and Micrometer for messaging.
 * <p>
 * The trace of the publisher travels in the headers of the message, so that the
 * subscriber continues it.
 */
@NullMarked
package io.github.vicinal.topic.observation;

import org.jspecify.annotations.NullMarked;
