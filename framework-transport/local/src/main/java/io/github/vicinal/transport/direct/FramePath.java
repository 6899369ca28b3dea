package io.github.vicinal.transport.direct;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.direct.DirectCalls.Callee;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The path of one contract to an application of this JVM that has other classes than this
 * one: the frames that would have gone through a socket, handed over in memory.
 */
final class FramePath implements CallPath {

	private static final WireLimits LIMITS = FrameSession.LIMITS;

	private static final int BINDING = 1;

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final @Nullable ClassLoader loader;

	private final BufferPool buffers;

	private final DirectCalls<Neighbour.Session> calls;

	private final DeadlineRule[] rules;

	private final LongAdder bytes = new LongAdder();

	private FramePath(DirectCalls<Neighbour.Session> calls, ClientBinding binding, CodecChoice codec,
			@Nullable ClassLoader loader, BufferPool buffers) {
		this.calls = calls;
		this.binding = binding;
		this.codec = codec;
		this.loader = loader;
		this.buffers = buffers;
		this.rules = new DeadlineRule[binding.contract().methods().size()];
		for (int i = 0; i < this.rules.length; i++) {
			this.rules[i] = new DeadlineRule();
		}
	}

	/**
	 * Connects to a neighbour.
	 * @param loader the caller's
	 * @param opened is told of the calls of the path
	 */
	static PathProvider.Attempt connect(Neighbour neighbour, Contract contract, Codecs codecs,
			@Nullable ClassLoader loader, BufferPool buffers, Consumer<DirectCalls<?>> opened) {
		try {
			FramePath path = open(neighbour, contract, codecs, loader, buffers);
			opened.accept(path.calls);
			return new PathProvider.Connected(path);
		}
		catch (WireException ex) {
			return new PathProvider.Unavailable(ex.text(), ex.refusal().retryable());
		}
		catch (RuntimeException ex) {
			return new PathProvider.Unavailable("the neighbour cannot be asked: " + ex, false);
		}
	}

	private static FramePath open(Neighbour neighbour, Contract contract, Codecs codecs, @Nullable ClassLoader loader,
			BufferPool buffers) throws WireException {
		ClientBinding binding = new ClientBinding(BINDING, contract, codecs);
		Neighbour.Session session = neighbour.open();
		EncodeBuffer request = buffers.take();
		try {
			int start = FrameDescriptor.begin(request);
			binding.request().write(request);
			FrameDescriptor.binding(request, start, BINDING);
			FrameDescriptor.end(request, start, FrameType.BIND);
			byte[] bytes = session.answer(request.array(), request.size());
			FrameHeader answer = read(bytes);
			if (answer.type == FrameType.REFUSED) {
				throw new WireException(Refusal.of(answer.code), answer.payload(bytes).readString());
			}
			answer.require(FrameType.BOUND);
			CodecChoice chosen = binding.choose(Payload.Bound.read(answer.payload(bytes)));
			CodecChoice choice = new CodecChoice(chosen.codec(),
					"the applications have class loaders of their own: " + chosen.reason());
			return new FramePath(new DirectCalls<>(neighbour, session), binding, choice, loader, buffers);
		}
		finally {
			buffers.giveBack(request);
		}
	}

	private static FrameHeader read(byte[] bytes) throws WireException {
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(bytes, bytes.length, header, LIMITS);
		return header;
	}

	@Override
	public PathKind kind() {
		return PathKind.DIRECT;
	}

	@Override
	public CodecChoice codec() {
		return this.codec;
	}

	@Override
	public Reply call(CallFrame frame) throws PathException {
		Callee<Neighbour.Session> callee = this.calls.requireOpen();
		EncodeBuffer request = this.buffers.take();
		boolean unused = false;
		try {
			encode(frame, request);
			Reply reply = DirectCalls.call(callee.neighbour(), this.rules[frame.method().index()], frame,
					(headers) -> exchange(callee.parts(), frame, request));
			unused = true;
			return reply;
		}
		finally {
			if (unused) {
				// Otherwise a thread of the neighbour may read it even now.
				this.buffers.giveBack(request);
			}
		}
	}

	private void encode(CallFrame frame, EncodeBuffer request) throws PathException {
		ClassLoader before = ContextLoader.enter(this.loader);
		try {
			int start = FrameDescriptor.begin(request);
			int headerBytes = ClientBinding.encode(request, start, this.codec, frame, LIMITS, LIMITS.maxFrameBytes());
			boolean limited = frame.deadlineNanos() != CallFrame.NO_DEADLINE;
			FrameDescriptor.headerBlockLength(request, start, headerBytes);
			FrameDescriptor.binding(request, start, BINDING);
			FrameDescriptor.code(request, start, frame.method().index());
			FrameDescriptor.remaining(request, start,
					limited ? frame.deadlineNanos() - System.nanoTime() : Long.MAX_VALUE);
			FrameDescriptor.end(request, start, FrameType.CALL);
		}
		catch (WireException ex) {
			throw new PathException(ex.refusal().reason(), false, ex.text(), ex);
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw new PathException(Reason.CODEC, false, "the arguments cannot be encoded: " + text(ex), ex);
		}
		finally {
			ContextLoader.leave(before, this.loader);
		}
	}

	private Reply exchange(Neighbour.Session session, CallFrame frame, EncodeBuffer request) throws PathException {
		byte[] bytes = session.answer(request.array(), request.size());
		this.bytes.add(request.size() + bytes.length);
		ClassLoader before = ContextLoader.enter(this.loader);
		try {
			FrameHeader answer = read(bytes);
			if (answer.type == FrameType.REFUSED) {
				throw refused(answer, bytes);
			}
			return this.binding.decode(this.codec, frame, answer, bytes, LIMITS);
		}
		catch (WireException ex) {
			throw new PathException(ex.refusal().reason(), true, "an unacceptable answer: " + ex.text(), ex);
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			throw new PathException(Reason.CODEC, true, "the result cannot be decoded: " + text(ex), ex);
		}
		finally {
			ContextLoader.leave(before, this.loader);
		}
	}

	private static PathException refused(FrameHeader answer, byte[] bytes) throws WireException {
		PayloadReader payload = answer.payload(bytes);
		boolean executed = answer.has(FrameDescriptor.FLAG_EXECUTED);
		Refusal refusal = Refusal.of(answer.code);
		boolean interrupted = !executed && refusal == Refusal.FAILED && Thread.currentThread().isInterrupted();
		return new PathException(interrupted ? Reason.INTERRUPTED : refusal.reason(), executed, payload.readString(),
				null);
	}

	/** The message of an error says little without its type. */
	private static String text(Throwable ex) {
		return (ex instanceof RuntimeException) ? String.valueOf(ex.getMessage()) : ex.toString();
	}

	@Override
	public boolean isOpen() {
		return this.calls.isOpen();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	/** Calls in flight end normally. */
	@Override
	public void close() {
		this.calls.close();
	}

}
