package io.github.vicinal.codec;

/**
 * The codec that two peers agreed on for a contract, and why it is that one.
 *
 * @param codec encodes for this side
 * @param reason one sentence for people, for instance why it is not the flat format
 * @since 0.1.0
 */
public record CodecChoice(ContractCodec codec, String reason) {
}
