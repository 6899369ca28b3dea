package io.github.vicinal.samples.trainticket.user;

import io.github.vicinal.samples.trainticket.auth.Credentials;

/**
 * A user who registers.
 *
 * @param credentials name and password
 * @param email where to write to
 */
public record NewUser(Credentials credentials, String email) {
}
