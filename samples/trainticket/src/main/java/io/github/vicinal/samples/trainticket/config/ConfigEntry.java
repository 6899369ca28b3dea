package io.github.vicinal.samples.trainticket.config;

/**
 * A named value.
 *
 * @param name the name
 * @param value the value as text
 * @param description what it means
 */
public record ConfigEntry(String name, String value, String description) {
}
