package io.github.vicinal.codec;

import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the calls of one contract. Thread-safe.
 * <p>
 * Encoded bytes belong to the caller: an implementation neither keeps a reference to a
 * buffer nor to an array that it was given.
 *
 * @since 0.1.0
 */
public interface ContractCodec {

	/**
	 * Returns the name that is negotiated between peers.
	 * @return for instance {@code jackson}
	 */
	String name();

	/**
	 * Encodes the arguments of a call.
	 * @param method the method that is called
	 * @param arguments its arguments, in order
	 * @param out receives the bytes
	 * @throws CodecException if a value cannot be encoded; {@code out} may then hold a
	 * part of it
	 */
	void encodeArguments(ContractMethod method, @Nullable Object[] arguments, EncodeBuffer out);

	/**
	 * Decodes the arguments of a call.
	 * @param method the method that is called
	 * @param bytes holds the encoded arguments; it may have been written by another
	 * process
	 * @param offset the first byte
	 * @param length the number of bytes
	 * @return as many arguments as the method has
	 * @throws CodecException if the bytes are not what the method carries
	 */
	@Nullable Object[] decodeArguments(ContractMethod method, byte[] bytes, int offset, int length);

	/**
	 * Encodes the result of a call.
	 * @param method the method that was called
	 * @param result the value
	 * @param out receives the bytes
	 * @throws CodecException if the value cannot be encoded
	 */
	void encodeResult(ContractMethod method, @Nullable Object result, EncodeBuffer out);

	/**
	 * Decodes the result of a call.
	 * @param method the method that was called
	 * @param bytes holds the encoded result; it may have been written by another process
	 * @param offset the first byte
	 * @param length the number of bytes
	 * @return the value
	 * @throws CodecException if the bytes are not what the method returns
	 */
	@Nullable Object decodeResult(ContractMethod method, byte[] bytes, int offset, int length);

}
