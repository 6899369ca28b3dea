package io.github.vicinal.codec;

/**
 * The codec of a contract that belongs to Vicinal itself, for values that Jackson never
 * sees. Both sides have it, so nothing is negotiated. The values are immutable: inside
 * one JVM they are handed over as they are.
 *
 * @param contract the interface of the contract
 * @param codec encodes and decodes its calls
 * @since 0.1.0
 */
public record OwnCodec(Class<?> contract, ContractCodec codec) {
}
