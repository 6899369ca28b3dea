package io.github.vicinal.chronicle.path;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.multiplex.Introduction.Agreement;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The first frames on the socket of a pair: HELLO of the client, WELCOME of the server,
 * and then ATTACHED of the server, whose payload is one text: the name of the pair's
 * directory. Only processes of one user get this far, so instance ids are sent as they
 * are.
 */
final class Handshake {

	private static final int FIRST_BYTES = 256;

	private final ControlSocket socket;

	private final long deadline;

	private final int maxFrameBytes;

	Handshake(ControlSocket socket, ChroniclePathOptions options) {
		this.socket = socket;
		this.deadline = System.nanoTime() + options.handshakeTimeout().toNanos();
		this.maxFrameBytes = options.maxFrameBytes();
	}

	/**
	 * Introduces a client.
	 * @param self instance id of the client
	 * @param expected instance id that the server must have
	 * @return what both sides accept
	 * @throws WireException if the server refuses, or is another one
	 */
	Agreement introduce(String self, String expected) throws IOException, WireException {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello(self, expected, this.maxFrameBytes).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		Payload.Welcome welcome = Payload.Welcome.read(ask(out));
		if (!welcome.self().equals(expected) || welcome.maxFrameBytes() < 0) {
			throw new WireException(Refusal.WRONG_INSTANCE, "another instance answers at the socket");
		}
		return agreement(welcome.maxFrameBytes());
	}

	/** A server that refuses the connection at once may have closed it already. */
	private PayloadReader ask(EncodeBuffer hello) throws IOException, WireException {
		IOException closed = null;
		try {
			write(hello);
		}
		catch (IOException ex) {
			closed = ex;
		}
		try {
			return answer(FrameType.WELCOME);
		}
		catch (EOFException ex) {
			throw (closed != null) ? closed : ex;
		}
	}

	/** Returns the name of the directory that the server has made for the pair. */
	String attached() throws IOException, WireException {
		PayloadReader payload = answer(FrameType.ATTACHED);
		String name = payload.readString();
		payload.requireEnd();
		return name;
	}

	private PayloadReader answer(FrameType expected) throws IOException, WireException {
		ReceivedFrame frame = this.socket.read(this.deadline);
		if (frame.header().type == FrameType.REFUSED) {
			Refusal refusal = Refusal.of(frame.header().code);
			throw new WireException(refusal,
					"refused (%s): %s".formatted(refusal.id(), WireException.printable(frame.payload().readString())));
		}
		frame.header().require(expected);
		return frame.payload();
	}

	/**
	 * Answers a client.
	 * @param self instance id of this server
	 * @return the client's instance id, as it says, and what both sides accept
	 * @throws WireException if it is no client, or one of another server
	 */
	Client welcome(String self) throws IOException, WireException {
		ReceivedFrame frame = this.socket.read(this.deadline);
		if (frame.header().type != FrameType.HELLO) {
			throw new WireException(Refusal.MALFORMED,
					"a connection starts with HELLO, not with %s".formatted(frame.header().type));
		}
		Payload.Hello hello = Payload.Hello.read(frame.payload());
		if (!hello.expected().equals(self)) {
			throw new WireException(Refusal.WRONG_INSTANCE,
					"this is instance %s, not '%s'".formatted(self, WireException.printable(hello.expected())));
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		new Payload.Welcome(self, this.maxFrameBytes).write(out);
		FrameDescriptor.end(out, start, FrameType.WELCOME);
		write(out);
		return new Client(WireException.printable(hello.self()), agreement(hello.maxFrameBytes()));
	}

	/** Names the directory of the pair. */
	void attach(String directory) throws IOException, WireException {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		Payload.writeText(out, directory);
		FrameDescriptor.end(out, start, FrameType.ATTACHED);
		write(out);
	}

	private Agreement agreement(int others) {
		return new Agreement(Math.min(others, this.maxFrameBytes), false, false);
	}

	private void write(EncodeBuffer out) throws IOException {
		this.socket.write(ByteBuffer.wrap(out.array(), 0, out.size()));
	}

	/**
	 * A client that was answered.
	 *
	 * @param instanceId its instance id, as it says
	 * @param agreement what both sides accept
	 */
	record Client(String instanceId, Agreement agreement) {
	}

}
