package io.github.vicinal.placement.verify;

/**
 * Fewest hosts and zones that a service may use. Immutable.
 *
 * @param hosts fewest hosts, 0 and 1 demand nothing
 * @param zones fewest zones, 0 and 1 demand nothing
 * @since 0.1.0
 */
public record Spread(int hosts, int zones) {
}
