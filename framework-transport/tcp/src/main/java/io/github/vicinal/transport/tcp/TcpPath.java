package io.github.vicinal.transport.tcp;

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
final class TcpPath implements CallPath {

	private static final int FIRST_BYTES = 1024;

	private final TcpPathProvider provider;

	private final ClientConnection connection;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongAdder bytes = new LongAdder();

	private final AtomicBoolean closed = new AtomicBoolean();

	private TcpPath(TcpPathProvider provider, ClientConnection connection, ClientBinding binding, CodecChoice codec) {
		this.provider = provider;
		this.connection = connection;
		this.binding = binding;
		this.codec = codec;
	}

	/** Binds a contract. Blocks. */
	static TcpPath bind(TcpPathProvider provider, ClientConnection connection, ClientBinding binding)
			throws TcpException {
		try {
			EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
			int start = FrameDescriptor.begin(out);
			binding.request().write(out);
			FrameDescriptor.binding(out, start, binding.number());
			FrameDescriptor.end(out, start, FrameType.BIND);
			Frame answer = connection.ask(out, start);
			answer.header().require(FrameType.BOUND);
			if (answer.header().binding != binding.number()) {
				throw new WireException(Refusal.MALFORMED, "another contract was bound");
			}
			CodecChoice choice = binding.choose(Payload.Bound.read(answer.payload()));
			return new TcpPath(provider, connection, binding, choice);
		}
		catch (WireException ex) {
			throw TcpException.refused(ex.refusal(), false, "%s: %s".formatted(connection, ex.text()));
		}
	}

	@Override
	public PathKind kind() {
		return TcpPathProvider.KIND;
	}

	@Override
	public CodecChoice codec() {
		return this.codec;
	}

	@Override
	public Reply call(CallFrame frame) throws PathException {
		if (Thread.currentThread().isInterrupted()) {
			throw TcpException.of(Reason.INTERRUPTED, false, "the calling thread is interrupted", null);
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = encode(out, frame);
		ClientConnection.Waiting call = this.connection.send(out, start, true);
		return decode(frame, this.connection.await(call, frame.deadlineNanos()), out.size());
	}

	/** The answer is decoded on an event loop. */
	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // What follows catches everything.
	public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
		try {
			EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
			int start = encode(out, frame);
			int size = out.size();
			ClientConnection.Waiting call = this.connection.send(out, start, true);
			this.connection.expire(call, frame.deadlineNanos());
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

	private int encode(EncodeBuffer out, CallFrame frame) throws TcpException {
		if (this.closed.get()) {
			throw TcpException.of(Reason.PEER_GONE, false, "the path is closed", null);
		}
		int start = FrameDescriptor.begin(out);
		try {
			int headerBytes = ClientBinding.encode(out, start, this.codec, frame, this.connection.limits(),
					this.connection.maxRequestBytes());
			long remaining = frame.remainingNanos();
			if (remaining <= 0) {
				throw TcpException.of(Reason.TIMEOUT, false, "the deadline passed before the call was sent", null);
			}
			FrameDescriptor.headerBlockLength(out, start, headerBytes);
			FrameDescriptor.binding(out, start, this.binding.number());
			FrameDescriptor.code(out, start, frame.method().index());
			FrameDescriptor.remaining(out, start, remaining);
			FrameDescriptor.end(out, start, FrameType.CALL);
			return start;
		}
		catch (WireException ex) {
			throw TcpException.refused(ex.refusal(), false, ex.text());
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw TcpException.of(Reason.CODEC, false, "the arguments cannot be encoded: " + ex, ex);
		}
	}

	private Reply decode(CallFrame frame, Frame answer, int sent) throws TcpException {
		long carried = (long) sent + FrameDescriptor.HEADER_BYTES + answer.header().length;
		this.bytes.add(carried);
		this.provider.bytes().add(carried);
		frame.carried(carried);
		try {
			return this.binding.decode(this.codec, frame, answer.header(), answer.body(), this.connection.limits());
		}
		catch (WireException ex) {
			throw TcpException.refused(ex.refusal(), true,
					"%s sent an unacceptable answer: %s".formatted(this.connection, ex.text()));
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw TcpException.of(Reason.CODEC, true, "the result cannot be decoded: " + ex, ex);
		}
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && this.connection.isOpen();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	@Override
	public Map<String, Object> details() {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("inFlight", this.connection.inFlight());
		String version = this.connection.tls();
		details.put("tls", version.isEmpty() ? "no" : version);
		details.put("subject", this.connection.subject());
		return details;
	}

	/**
	 * The connection ends with the last path that uses it, and calls in flight with it,
	 * unless the connection is being replaced or the server shuts down.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.provider.release(this.connection);
		}
	}

}
