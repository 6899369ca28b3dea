package io.github.vicinal.samples.trainticket.auth;

import java.time.Instant;

/**
 * A signed token.
 *
 * @param value the token
 * @param expires when it ends
 */
public record Token(String value, Instant expires) {
}
