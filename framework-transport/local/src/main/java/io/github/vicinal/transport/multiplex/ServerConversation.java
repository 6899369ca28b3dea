package io.github.vicinal.transport.multiplex;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

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
import org.jspecify.annotations.Nullable;
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

	/** Frames that have no answer yet, by correlation. */
	private final Map<Long, ArrivedFrame> unanswered = new ConcurrentHashMap<>();

	private final WireLimits limits;

	private int maxReplyBytes;

	private boolean cancels;

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
		this.cancels = agreement.cancels();
	}

	/**
	 * Notes a frame of type BIND or CALL that is about to be answered. Its client can
	 * cancel it until {@link #ended}, which must follow.
	 * @param frame what the client sent
	 * @return the frame
	 */
	public ArrivedFrame arrived(ReceivedFrame frame) {
		ArrivedFrame arrived = new ArrivedFrame(frame);
		this.unanswered.put(frame.header().correlation, arrived);
		return arrived;
	}

	/**
	 * Notes that a frame is done with: its answer has left, or it gets none.
	 * @param arrived the frame
	 */
	public void ended(ArrivedFrame arrived) {
		this.unanswered.remove(arrived.correlation(), arrived);
	}

	/**
	 * Cancels a call. One that is not known has been answered meanwhile, which its client
	 * could not know, so it is ignored, as is one that was cancelled before.
	 * @param frame a frame of type CANCEL
	 * @param executor runs what the handler does about that, which may take long
	 * @throws WireException if the client may not send it, or it carries anything
	 */
	public void cancel(ReceivedFrame frame, Executor executor) throws WireException {
		if (!this.cancels) {
			throw new WireException(Refusal.MALFORMED, "CANCEL of a client that did not say that it sends it");
		}
		frame.requireEmpty();
		ArrivedFrame arrived = this.unanswered.get(frame.header().correlation);
		if (arrived != null) {
			arrived.cancel(executor);
		}
	}

	/**
	 * Cancels all calls, because the client is gone.
	 * @param executor runs what handlers do about that, which may take long
	 */
	public void clientGone(Executor executor) {
		List<ArrivedFrame> left = List.copyOf(this.unanswered.values());
		if (!left.isEmpty()) {
			// One thread for all: each is needed for calls of other clients.
			executor.execute(() -> left.forEach((arrived) -> arrived.cancel(Runnable::run)));
		}
	}

	/**
	 * Returns the last frame of a connection that the server closes. It names the calls
	 * that have no answer and may have been executed, so that the client can repeat all
	 * others. No frame may be {@linkplain #arrived accepted} any more.
	 * @return the frame, {@code null} if it would be longer than the client accepts
	 */
	public @Nullable EncodeBuffer last() {
		List<Long> calls = List.copyOf(this.unanswered.keySet());
		if (calls.size() > this.maxReplyBytes / Long.BYTES) {
			return null;
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		calls.forEach((correlation) -> Payload.writeLong(out, correlation));
		FrameDescriptor.flags(out, start, FrameDescriptor.FLAG_CLOSING);
		FrameDescriptor.code(out, start, Refusal.SHUTTING_DOWN.number());
		FrameDescriptor.end(out, start, FrameType.GOODBYE);
		return out;
	}

	/**
	 * Answers a frame of type BIND or CALL on this thread. Never throws.
	 * @param frame what the client sent, and cannot cancel
	 * @return the answer
	 */
	public EncodeBuffer answer(ReceivedFrame frame) {
		EncodeBuffer out = answer(new ArrivedFrame(frame));
		return (out != null) ? out : refusal(Refusal.FAILED, "the call was cancelled", frame);
	}

	/**
	 * Answers a frame of type BIND or CALL on this thread. Never throws. A call that is
	 * cancelled before its handler runs is not executed.
	 * @param arrived what the client sent
	 * @return the answer, {@code null} if nobody waits for it
	 */
	public @Nullable EncodeBuffer answer(ArrivedFrame arrived) {
		ReceivedFrame frame = arrived.frame();
		try {
			if (frame.header().type == FrameType.BIND) {
				return bind(frame);
			}
			EncodeBuffer out = arrived.isCancelled() ? null
					: call(arrived, frame.expanded(this.compressedFromBytes < Integer.MAX_VALUE, this.limits));
			return (out != null && out.size() >= this.compressedFromBytes) ? FrameCompression.compress(out) : out;
		}
		catch (WireException ex) {
			return arrived.isCancelled() ? null : refusal(ex.refusal(), ex.text(), frame);
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

	private @Nullable EncodeBuffer call(ArrivedFrame arrived, ReceivedFrame frame) throws WireException {
		FrameHeader header = frame.header();
		ServerBinding binding = this.bindings.get(header.binding);
		if (binding == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(header.binding));
		}
		CallFrame call = this.calls.decode(binding, header, frame.bytes());
		arrived.decoded(call);
		Reply reply;
		try {
			// No connection waits, only the thread of the call.
			reply = this.calls.invoke(binding, call, call::beginWaiting);
		}
		finally {
			call.endWaiting();
		}
		this.metrics.calls().increment();
		if (call.isAbandoned()) {
			return null;
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		this.calls.reply(out, reply, binding, call, header.correlation, header.binding, this.maxReplyBytes);
		return out;
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
