package io.github.vicinal.samples.trainticket.user;

import java.util.UUID;

/**
 * What is known about a user.
 *
 * @param id the id
 * @param name the name
 * @param email where to write to
 */
public record UserProfile(UUID id, String name, String email) {
}
