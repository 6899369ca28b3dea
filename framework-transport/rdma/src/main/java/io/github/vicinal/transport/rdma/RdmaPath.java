package io.github.vicinal.transport.rdma;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/** The path of one contract to one peer. Thread-safe. */
final class RdmaPath implements CallPath {

	private static final int FIRST_BYTES = 1024;

	private final RdmaPathProvider provider;

	private final ClientSession session;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongAdder bytes = new LongAdder();

	private final AtomicBoolean closed = new AtomicBoolean();

	private RdmaPath(RdmaPathProvider provider, ClientSession session, ClientBinding binding, CodecChoice codec) {
		this.provider = provider;
		this.session = session;
		this.binding = binding;
		this.codec = codec;
	}

	/** Binds a contract. Blocks. */
	static RdmaPath bind(RdmaPathProvider provider, ClientSession session, ClientBinding binding) throws RdmaException {
		try {
			EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
			int start = FrameDescriptor.begin(out);
			binding.request().write(out);
			FrameDescriptor.binding(out, start, binding.number());
			FrameDescriptor.end(out, start, FrameType.BIND);
			Frame answer = session.ask(out);
			answer.header().require(FrameType.BOUND);
			if (answer.header().binding != binding.number()) {
				throw new WireException(Refusal.MALFORMED, "another contract was bound");
			}
			CodecChoice choice = binding.choose(Payload.Bound.read(answer.payload()));
			return new RdmaPath(provider, session, binding, choice);
		}
		catch (WireException ex) {
			throw RdmaException.refused(ex.refusal(), false, "%s: %s".formatted(session, ex.text()));
		}
	}

	@Override
	public PathKind kind() {
		return RdmaPathProvider.KIND;
	}

	@Override
	public CodecChoice codec() {
		return this.codec;
	}

	@Override
	public Reply call(CallFrame frame) throws PathException {
		if (Thread.currentThread().isInterrupted()) {
			throw RdmaException.of(Reason.INTERRUPTED, false, "the calling thread is interrupted", null);
		}
		EncodeBuffer out = encode(frame);
		ClientSession.Waiting call = this.session.send(out, true);
		return decode(frame, this.session.await(call, frame.deadlineNanos()), out.size());
	}

	/** The answer is decoded on the thread of the connection. */
	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // What follows catches everything.
	public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
		try {
			EncodeBuffer out = encode(frame);
			int size = out.size();
			ClientSession.Waiting call = this.session.send(out, true);
			this.session.expire(call, frame.deadlineNanos());
			CompletableFuture<Reply> reply = new CompletableFuture<>();
			call.answer.whenComplete((answer, failure) -> {
				try {
					if (failure != null) {
						reply.completeExceptionally(
								(failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure);
						return;
					}
					reply.complete(decode(frame, answer, size));
				}
				catch (PathException | RuntimeException | Error ex) {
					reply.completeExceptionally(ex);
				}
			});
			return reply;
		}
		catch (PathException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public boolean callsLater() {
		return true;
	}

	private EncodeBuffer encode(CallFrame frame) throws RdmaException {
		if (this.closed.get()) {
			throw RdmaException.of(Reason.PEER_GONE, false, "the path is closed", null);
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		try {
			int headerBytes = ClientBinding.encode(out, start, this.codec, frame, this.session.limits(),
					this.session.maxRequestBytes());
			long remaining = frame.remainingNanos();
			if (remaining <= 0) {
				throw RdmaException.of(Reason.TIMEOUT, false, "the deadline passed before the call was sent", null);
			}
			FrameDescriptor.headerBlockLength(out, start, headerBytes);
			FrameDescriptor.binding(out, start, this.binding.number());
			FrameDescriptor.code(out, start, frame.method().index());
			FrameDescriptor.remaining(out, start, remaining);
			FrameDescriptor.end(out, start, FrameType.CALL);
			return out;
		}
		catch (WireException ex) {
			throw RdmaException.refused(ex.refusal(), false, ex.text());
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw RdmaException.of(Reason.CODEC, false, "the arguments cannot be encoded: " + ex, ex);
		}
	}

	private Reply decode(CallFrame frame, Frame answer, int sent) throws RdmaException {
		long carried = (long) sent + answer.bytes().length;
		this.bytes.add(carried);
		this.provider.bytes().add(carried);
		frame.carried(carried);
		try {
			return this.binding.decode(this.codec, frame, answer.header(), answer.bytes(), this.session.limits());
		}
		catch (WireException ex) {
			throw RdmaException.refused(ex.refusal(), true,
					"%s sent an unacceptable answer: %s".formatted(this.session, ex.text()));
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw RdmaException.of(Reason.CODEC, true, "the result cannot be decoded: " + ex, ex);
		}
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && this.session.isOpen();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	@Override
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("inFlight", this.session.inFlight());
		details.put("provider", this.provider.verbsName());
		return details;
	}

	/**
	 * The connection ends with the last path that uses it, and calls in flight with it,
	 * unless the server shuts down.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.provider.release(this.session);
		}
	}

}
