/**
 * Topics in Spring applications: listeners on beans, and topics with the settings of the
 * application's properties.
 */
@NullMarked
package io.github.vicinal.boot.topic;

import org.jspecify.annotations.NullMarked;
