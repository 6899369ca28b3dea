package io.github.vicinal.transport.multiplex;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider.Attempt;
import io.github.vicinal.path.PathProvider.Connected;
import io.github.vicinal.path.PathProvider.Unavailable;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameCompression;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.WireException;

/**
 * The path of one contract to one peer, over a connection that carries any number of
 * calls, and over further ones while that one has more to send than it can. Thread-safe.
 */
public final class MultiplexedPath implements CallPath {

	private static final int FIRST_BYTES = 1024;

	private final PathKind kind;

	private final ClientEnd connection;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongAdder allBytes;

	private final Runnable onClose;

	/** Whether the contract is bound on a further connection. */
	private final Predicate<ClientEnd> bound;

	private final LongAdder bytes = new LongAdder();

	private final AtomicBoolean closed = new AtomicBoolean();

	private MultiplexedPath(PathKind kind, ClientEnd connection, ClientBinding binding, CodecChoice codec,
			LongAdder allBytes, Runnable onClose) {
		this.kind = kind;
		this.connection = connection;
		this.binding = binding;
		this.codec = codec;
		this.allBytes = allBytes;
		this.onClose = onClose;
		this.bound = new FurtherBindings(binding, codec, System::nanoTime)::isBound;
	}

	/**
	 * Connects a contract with a peer, over the connection that all paths to the peer
	 * share. Blocks.
	 * @param <C> the type of the connections
	 * @param kind the kind of the path
	 * @param connections the connections of that kind
	 * @param instanceId the peer
	 * @param opener opens a connection to the peer, if there is none
	 * @param contract the contract
	 * @param codecs the codecs of this application
	 * @param allBytes counts what all paths carry
	 * @return the path, or the reason why there is none
	 */
	public static <C extends ClientEnd> Attempt connect(PathKind kind, SharedConnections<C> connections,
			String instanceId, SharedConnections.Opener<C> opener, Contract contract, Codecs codecs,
			LongAdder allBytes) {
		C connection = null;
		boolean connected = false;
		try {
			connection = connections.acquire(instanceId, opener);
			if (connection == null) {
				return new Unavailable("the application is shutting down", false);
			}
			C acquired = connection;
			CallPath path = bind(kind, connection, new ClientBinding(connection.nextBinding(), contract, codecs),
					allBytes, () -> connections.release(acquired));
			connected = true;
			return new Connected(path);
		}
		catch (ConnectionException ex) {
			return new Unavailable(String.valueOf(ex.getMessage()), ex.retryable());
		}
		catch (RuntimeException ex) {
			return new Unavailable(ex.toString(), true);
		}
		finally {
			if (connection != null && !connected) {
				connections.release(connection);
			}
		}
	}

	/**
	 * Binds a contract. Blocks.
	 * @param kind the kind of the path
	 * @param connection carries the calls
	 * @param binding the contract
	 * @param allBytes counts what all paths carry
	 * @param onClose called once, when the path is closed
	 * @return the path
	 * @throws ConnectionException if the peer refuses the contract, or is gone
	 */
	public static MultiplexedPath bind(PathKind kind, ClientEnd connection, ClientBinding binding, LongAdder allBytes,
			Runnable onClose) throws ConnectionException {
		try {
			ReceivedFrame answer = connection.ask(BindExchange.request(binding));
			CodecChoice choice = BindExchange.bound(binding, answer);
			return new MultiplexedPath(kind, connection, binding, choice, allBytes, onClose);
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), false, "%s: %s".formatted(connection, ex.text()));
		}
	}

	@Override
	public PathKind kind() {
		return this.kind;
	}

	@Override
	public CodecChoice codec() {
		return this.codec;
	}

	@Override
	public Reply call(CallFrame frame) throws PathException {
		if (Thread.currentThread().isInterrupted()) {
			throw ConnectionException.of(Reason.INTERRUPTED, false, "the calling thread is interrupted", null);
		}
		EncodeBuffer out = encode(frame);
		int size = out.size();
		Sent sent = send(out);
		return decode(frame, sent.connection().await(sent.call(), frame.deadlineNanos()), size);
	}

	/**
	 * The answer is decoded on the thread that receives it, unless it must be expanded
	 * first.
	 */
	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // What follows catches everything.
	public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
		try {
			EncodeBuffer out = encode(frame);
			int size = out.size();
			Sent sent = send(out);
			sent.connection().expire(sent.call(), frame.deadlineNanos());
			frame.whenAbandoned(() -> sent.connection().abandon(sent.call()));
			CompletableFuture<Reply> reply = new CompletableFuture<>();
			sent.call().answer().whenComplete((answer, failure) -> {
				try {
					if (failure != null) {
						reply.completeExceptionally(
								(failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure);
					}
					else if (answer.isCompressed()) {
						executor.execute(() -> complete(reply, frame, answer, size));
					}
					else {
						complete(reply, frame, answer, size);
					}
				}
				catch (RuntimeException | Error ex) {
					reply.completeExceptionally(ex);
				}
			});
			return reply;
		}
		catch (PathException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void complete(CompletableFuture<Reply> reply, CallFrame frame, ReceivedFrame answer, int sent) {
		try {
			reply.complete(decode(frame, answer, sent));
		}
		catch (PathException | RuntimeException | Error ex) {
			reply.completeExceptionally(ex);
		}
	}

	@Override
	public boolean callsLater() {
		return true;
	}

	/** Sends a call by the connection that is free for it, mostly the only one. */
	private Sent send(EncodeBuffer out) throws ConnectionException {
		ClientEnd further = this.connection.further(this.bound);
		if (further != null) {
			try {
				return new Sent(further, further.send(out, true));
			}
			catch (ConnectionException ex) {
				// It has ended since it was chosen, or is full; nothing was sent.
			}
		}
		return new Sent(this.connection, this.connection.send(out, true));
	}

	private EncodeBuffer encode(CallFrame frame) throws ConnectionException {
		if (this.closed.get()) {
			throw ConnectionException.of(Reason.PEER_GONE, false, "the path is closed", null);
		}
		EncodeBuffer out = new EncodeBuffer(FIRST_BYTES);
		int start = FrameDescriptor.begin(out);
		try {
			int headerBytes = ClientBinding.encode(out, start, this.codec, frame, this.connection.limits(),
					this.connection.maxRequestBytes());
			long remaining = frame.remainingNanos();
			if (remaining <= 0) {
				throw ConnectionException.of(Reason.TIMEOUT, false, "the deadline passed before the call was sent",
						null);
			}
			FrameDescriptor.headerBlockLength(out, start, headerBytes);
			FrameDescriptor.binding(out, start, this.binding.number());
			FrameDescriptor.code(out, start, frame.method().index());
			FrameDescriptor.remaining(out, start, remaining);
			FrameDescriptor.end(out, start, FrameType.CALL);
			return (out.size() >= this.connection.compressedFromBytes()) ? FrameCompression.compress(out) : out;
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), false, ex.text());
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw ConnectionException.of(Reason.CODEC, false, "the arguments cannot be encoded: " + ex, ex);
		}
	}

	private Reply decode(CallFrame frame, ReceivedFrame answer, int sent) throws ConnectionException {
		long carried = (long) sent + answer.size();
		this.bytes.add(carried);
		this.allBytes.add(carried);
		frame.carried(carried);
		try {
			ReceivedFrame whole = answer.expanded(this.connection.compressedFromBytes() < Integer.MAX_VALUE,
					this.connection.limits());
			return this.binding.decode(this.codec, frame, whole.header(), whole.bytes(), this.connection.limits());
		}
		catch (WireException ex) {
			throw ConnectionException.refused(ex.refusal(), true,
					"%s sent an unacceptable answer: %s".formatted(this.connection, ex.text()));
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw ConnectionException.of(Reason.CODEC, true, "the result cannot be decoded: " + ex, ex);
		}
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && this.connection.isOpen();
	}

	@Override
	public String reasonToRenew() {
		return this.closed.get() ? "" : this.connection.reasonToRenew();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	@Override
	public Map<String, Object> details() {
		return this.connection.details();
	}

	/**
	 * The connection ends with the last path that uses it. Whether calls in flight end
	 * normally is up to {@link ClientEnd#leave()}.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.onClose.run();
		}
	}

	/**
	 * A call that waits for its answer.
	 *
	 * @param connection carries the call
	 * @param call the call
	 */
	private record Sent(ClientEnd connection, PendingCall call) {
	}

}
