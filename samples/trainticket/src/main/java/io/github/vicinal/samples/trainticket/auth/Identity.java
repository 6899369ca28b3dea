package io.github.vicinal.samples.trainticket.auth;

import java.util.UUID;

/**
 * A user as the tokens know him.
 *
 * @param id the id
 * @param name the name
 * @param admin whether he may see all users
 */
public record Identity(UUID id, String name, boolean admin) {
}
