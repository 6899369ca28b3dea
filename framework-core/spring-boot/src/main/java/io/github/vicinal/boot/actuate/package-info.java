/**
 * Endpoints, health indicator and meters of channels, request server and topics, with
 * their auto-configuration.
 */
@NullMarked
package io.github.vicinal.boot.actuate;

import org.jspecify.annotations.NullMarked;
