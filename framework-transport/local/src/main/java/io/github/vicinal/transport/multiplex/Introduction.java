package io.github.vicinal.transport.multiplex;

import java.net.InetSocketAddress;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The first exchange on a connection: HELLO of the client, WELCOME of the server. Each
 * side proves that it knows the instance id of the server, for the address at which it is
 * met, and says what it accepts.
 */
public final class Introduction {

	private static final int FIRST_BYTES = 256;

	private final String server;

	private final String nonce;

	private final InetSocketAddress address;

	private final int maxFrameBytes;

	private final boolean compresses;

	private Introduction(String server, String nonce, InetSocketAddress address, int maxFrameBytes,
			boolean compresses) {
		this.server = server;
		this.nonce = nonce;
		this.address = address;
		this.maxFrameBytes = maxFrameBytes;
		this.compresses = compresses;
	}

	/**
	 * Begins the client's side.
	 * @param server the instance id that the server must have
	 * @param address where it is met
	 * @param maxFrameBytes the longest frame that the client accepts
	 * @param compresses whether the client sends and accepts compressed frames
	 * @return what {@link #hello()} and {@link #welcomed} belong to
	 */
	public static Introduction to(String server, InetSocketAddress address, int maxFrameBytes, boolean compresses) {
		return new Introduction(server, InstanceProof.nonce(), address, maxFrameBytes, compresses);
	}

	/**
	 * Returns the client's frame.
	 * @return a HELLO without a correlation
	 * @throws WireException if it breaks a limit
	 */
	public EncodeBuffer hello() throws WireException {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello(this.nonce, InstanceProof.ofClient(this.server, this.nonce, this.address), this.maxFrameBytes)
			.write(out);
		FrameDescriptor.flags(out, start, flags(this.compresses));
		FrameDescriptor.end(out, start, FrameType.HELLO);
		return out;
	}

	/** A peer that does not know a flag ignores it. */
	private static int flags(boolean compresses) {
		return FrameDescriptor.FLAG_CANCELS | (compresses ? FrameDescriptor.FLAG_COMPRESSES : 0);
	}

	/**
	 * Checks the server's answer.
	 * @param answer what it sent
	 * @return what both sides accept
	 * @throws WireException if it is no WELCOME, or that of another instance
	 */
	public Agreement welcomed(ReceivedFrame answer) throws WireException {
		answer.header().require(FrameType.WELCOME);
		Payload.Welcome welcome = Payload.Welcome.read(answer.payload());
		if (!InstanceProof.matches(InstanceProof.ofServer(this.server, this.nonce, this.address), welcome.self())
				|| welcome.maxFrameBytes() < 0) {
			throw new WireException(Refusal.WRONG_INSTANCE, "another instance answers at the address");
		}
		return new Agreement(Math.min(welcome.maxFrameBytes(), this.maxFrameBytes),
				this.compresses && answer.header().has(FrameDescriptor.FLAG_COMPRESSES),
				answer.header().has(FrameDescriptor.FLAG_CANCELS));
	}

	/**
	 * Answers a client.
	 * @param frame its first frame
	 * @param self the instance id of this server
	 * @param address where the client believes that it has connected to
	 * @param maxFrameBytes the longest frame that this side accepts
	 * @param compresses whether this side sends and accepts compressed frames
	 * @return the answer
	 * @throws WireException if it is no HELLO, or one to another instance
	 */
	public static Welcome answer(ReceivedFrame frame, String self, InetSocketAddress address, int maxFrameBytes,
			boolean compresses) throws WireException {
		if (frame.header().type != FrameType.HELLO) {
			throw new WireException(Refusal.MALFORMED,
					"a connection starts with HELLO, not with %s".formatted(frame.header().type));
		}
		Payload.Hello hello = Payload.Hello.read(frame.payload());
		if (!InstanceProof.matches(InstanceProof.ofClient(self, hello.self(), address), hello.expected())) {
			throw new WireException(Refusal.WRONG_INSTANCE, "this is not the instance that the client expects");
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		new Payload.Welcome(InstanceProof.ofServer(self, hello.self(), address), maxFrameBytes).write(out);
		FrameDescriptor.correlation(out, start, frame.header().correlation);
		FrameDescriptor.flags(out, start, flags(compresses));
		FrameDescriptor.end(out, start, FrameType.WELCOME);
		return new Welcome(out,
				new Agreement(Math.min(hello.maxFrameBytes(), maxFrameBytes),
						compresses && frame.header().has(FrameDescriptor.FLAG_COMPRESSES),
						frame.header().has(FrameDescriptor.FLAG_CANCELS)));
	}

	/**
	 * Result that both sides accept.
	 *
	 * @param maxFrameBytes the longest frame
	 * @param compresses whether frames may be compressed
	 * @param cancels whether the client may send CANCEL
	 */
	public record Agreement(int maxFrameBytes, boolean compresses, boolean cancels) {
	}

	/**
	 * The server's answer.
	 *
	 * @param frame what to send
	 * @param agreement what both sides accept
	 */
	public record Welcome(EncodeBuffer frame, Agreement agreement) {
	}

}
