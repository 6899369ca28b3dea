package io.github.vicinal.transport.wire;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;

/**
 * A contract as it is called on one peer. Its number is the same on all connections to
 * that peer, and each connection binds it before its first call.
 */
public final class ClientBinding {

	private final int number;

	private final Contract contract;

	private final Codecs codecs;

	private final Payload.Bind request;

	public ClientBinding(int number, Contract contract, Codecs codecs) {
		this.number = number;
		this.contract = contract;
		this.codecs = codecs;
		Set<String> offers = codecs.offers(contract);
		this.request = new Payload.Bind(contract.name(), contract.hash(), offers);
	}

	public int number() {
		return this.number;
	}

	public Contract contract() {
		return this.contract;
	}

	public Payload.Bind request() {
		return this.request;
	}

	/**
	 * Appends the headers and the arguments of a call to a frame that has been begun.
	 * @param out receives them
	 * @param start where the frame begins
	 * @param choice the codec
	 * @param call the call
	 * @param limits what this side accepts
	 * @param maxBytes the longest frame that the other side accepts
	 * @return the length of the header block
	 * @throws WireException if the frame breaks a limit
	 */
	public static int encode(EncodeBuffer out, int start, CodecChoice choice, CallFrame call, WireLimits limits,
			int maxBytes) throws WireException {
		if (call.isTimed()) {
			FrameDescriptor.flags(out, start, FrameDescriptor.FLAG_TIMED);
		}
		int headerBytes = HeaderBlock.write(out, call.headers(), limits);
		choice.codec().encodeArguments(call.method(), call.arguments(), out);
		int length = out.size() - start - FrameDescriptor.HEADER_BYTES;
		if (length > maxBytes) {
			throw new WireException(Refusal.TOO_LARGE,
					"the call of %d bytes is larger than the limit of %d bytes".formatted(length, maxBytes));
		}
		return headerBytes;
	}

	/**
	 * Reads the answer to a call.
	 * @param choice the codec
	 * @param call the call
	 * @param answer the header of the answer
	 * @param body the bytes that follow the header
	 * @param limits what this side accepts
	 * @return the answer
	 * @throws WireException if it is none; a codec may throw anything
	 */
	public Reply decode(CodecChoice choice, CallFrame call, FrameHeader answer, byte[] body, WireLimits limits)
			throws WireException {
		if (answer.binding != this.number) {
			throw new WireException(Refusal.MALFORMED, "the answer belongs to another contract");
		}
		WireLimits.requireStatus(answer.code, Refusal.MALFORMED);
		call.served(answer.remaining);
		Map<String, List<String>> headers = HeaderBlock.readLists(body, answer.bodyOffset, answer.headerBlockLength,
				limits);
		if (answer.type == FrameType.REPLY_VALUE) {
			return new Reply.Value(answer.code, headers,
					choice.codec().decodeResult(call.method(), body, answer.payloadOffset(), answer.payloadLength()));
		}
		answer.require(FrameType.REPLY_FAILURE);
		PayloadReader payload = answer.payload(body);
		String remoteType = payload.readString();
		byte[] failure = new byte[payload.remaining()];
		System.arraycopy(body, payload.position(), failure, 0, failure.length);
		return new Reply.Failure(answer.code, headers, failure, remoteType);
	}

	/**
	 * Chooses the codec by the rule that the peer has applied, too.
	 * @throws WireException if the peer came to another result
	 */
	public CodecChoice choose(Payload.Bound bound) throws WireException {
		CodecChoice choice = this.codecs.choose(this.contract, bound.codecs());
		if (!choice.codec().name().equals(bound.codec())) {
			throw new WireException(Refusal.CODEC, "the peer chose the codec %s for %s, this side %s"
				.formatted(bound.codec(), this.contract.name(), choice.codec().name()));
		}
		return choice;
	}

}
