package io.github.vicinal.transport.multiplex;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.FrameCompression;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.ServerBinding;
import io.github.vicinal.transport.wire.ServerCalls;
import io.github.vicinal.transport.wire.ServerMetrics;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers of a server on one connection: bindings of contracts, and calls of them.
 * Thread-safe once the agreement is set.
 */
public final class ServerConversation {

	private static final Logger logger = LoggerFactory.getLogger(ServerConversation.class);

	private static final int FIRST_BYTES = 1024;

	private static final int MAX_BINDINGS = 1024;

	private final ServerCalls calls;

	private final ServerMetrics metrics;

	private final Map<Integer, ServerBinding> bindings = new ConcurrentHashMap<>();

	private final WireLimits limits;

	private int maxReplyBytes;

	/** {@link Integer#MAX_VALUE} if the sides have not agreed on compression. */
	private int compressedFromBytes = Integer.MAX_VALUE;

	/**
	 * Creates the conversation of a connection.
	 * @param calls executes calls
	 * @param metrics counts calls
	 * @param limits what this side accepts
	 */
	public ServerConversation(ServerCalls calls, ServerMetrics metrics, WireLimits limits) {
		this.calls = calls;
		this.metrics = metrics;
		this.limits = limits;
	}

	/**
	 * Sets what both sides have agreed on, before the first call.
	 * @param agreement what they accept
	 * @param fromBytes length from which answers are compressed, if they agree on that
	 */
	public void agreed(Introduction.Agreement agreement, int fromBytes) {
		this.maxReplyBytes = agreement.maxFrameBytes();
		this.compressedFromBytes = agreement.compresses() ? fromBytes : Integer.MAX_VALUE;
	}

	/**
	 * Answers a frame of type BIND or CALL on this thread. Never throws.
	 * @param frame what the client sent
	 * @return the answer
	 */
	public EncodeBuffer answer(ReceivedFrame frame) {
		try {
			if (frame.header().type == FrameType.BIND) {
				return bind(frame);
			}
			EncodeBuffer out = call(frame.expanded(this.compressedFromBytes < Integer.MAX_VALUE, this.limits));
			return (out.size() >= this.compressedFromBytes) ? FrameCompression.compress(out) : out;
		}
		catch (WireException ex) {
			return refusal(ex.refusal(), ex.text(), frame);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A call ended by a bug in the transport", ex);
			return refusal(Refusal.FAILED, "the call ended by a bug in the transport", frame);
		}
	}

	private EncodeBuffer bind(ReceivedFrame frame) throws WireException {
		Payload.Bind bind = Payload.Bind.read(frame.payload());
		if (this.bindings.size() >= MAX_BINDINGS) {
			throw new WireException(Refusal.MALFORMED, "more than %d bindings".formatted(MAX_BINDINGS));
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		FrameHeader header = frame.header();
		ServerBinding binding = this.calls.bind(out, bind, header.correlation, header.binding);
		if (binding != null) {
			this.bindings.put(header.binding, binding);
		}
		return out;
	}

	private EncodeBuffer call(ReceivedFrame frame) throws WireException {
		FrameHeader header = frame.header();
		ServerBinding binding = this.bindings.get(header.binding);
		if (binding == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(header.binding));
		}
		CallFrame call = this.calls.decode(binding, header, frame.bytes());
		Reply reply = this.calls.invoke(binding, call, ServerConversation::waits);
		this.metrics.calls().increment();
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		this.calls.reply(out, reply, binding, call, header.correlation, header.binding, this.maxReplyBytes);
		return out;
	}

	/** No connection waits, only the thread of the call. */
	private static void waits() {
	}

	/**
	 * Returns the refusal of a frame.
	 * @param refusal why
	 * @param text why, for people
	 * @param frame what is refused
	 * @return the answer; the connection goes on
	 */
	public EncodeBuffer refusal(Refusal refusal, String text, ReceivedFrame frame) {
		return refusal(refusal, 0, text, frame.header().correlation);
	}

	/**
	 * Returns the refusal of the client.
	 * @param refusal why
	 * @param text why, for people
	 * @return the last frame of the connection
	 */
	public EncodeBuffer closing(Refusal refusal, String text) {
		return refusal(refusal, FrameDescriptor.FLAG_CLOSING, text, 0);
	}

	private EncodeBuffer refusal(Refusal refusal, int flags, String text, long correlation) {
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		this.calls.refusal(out, FrameDescriptor.begin(out), refusal, flags, text, correlation);
		return out;
	}

}
