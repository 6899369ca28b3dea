package io.github.vicinal.samples.trainticket.verificationcode;

/**
 * A code.
 *
 * @param id what it was issued under
 * @param text the characters; upper and lower case are the same
 */
public record VerificationCode(String id, String text) {
}
