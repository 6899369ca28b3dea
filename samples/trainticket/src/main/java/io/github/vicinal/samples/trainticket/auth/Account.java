package io.github.vicinal.samples.trainticket.auth;

/**
 * A user who can log in.
 *
 * @param identity the user
 * @param passwordHash BCrypt hash of the password
 */
record Account(Identity identity, String passwordHash) {
}
