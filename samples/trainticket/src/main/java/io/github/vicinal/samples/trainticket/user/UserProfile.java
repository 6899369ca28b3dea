package io.github.vicinal.samples.trainticket.user;

import java.util.UUID;

/**
 * Profile of a user.
 *
 * @param id the id
 * @param name the name
 * @param email where to write to
 */
public record UserProfile(UUID id, String name, String email) {
}
