package io.github.vicinal.samples.trainticket.verificationcode;

/**
 * The outcome of a check.
 *
 * @param passed whether the code was right
 */
public record Verification(boolean passed) {
}
