package io.github.vicinal.samples.trainticket.auth;

import io.github.vicinal.samples.trainticket.verificationcode.VerificationCode;

/**
 * A wish to log in.
 *
 * @param credentials name and password
 * @param verificationCode a code that was issued for this login
 */
public record Login(Credentials credentials, VerificationCode verificationCode) {
}
