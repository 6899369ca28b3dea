package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.channel.CallFrame;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.Service;

/**
 * The server's end of one connection; runs on a thread of its own, from the handshake to
 * the end, and executes its calls there.
 */
final class ServerConnection implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ServerConnection.class);

	/** No call is being executed, and the next one may be. */
	private static final int IDLE = 0;

	/** A call is being executed. */
	private static final int BUSY = 1;

	/** No further call is executed. */
	private static final int ENDING = 2;

	private static final int MAX_BINDINGS = 1024;

	/** Half of what the kernel buffers at least: such an answer never blocks. */
	private static final int LARGE_BYTES = 64 * 1024;

	private static final int FIRST_BUFFER_BYTES = 4 * 1024;

	/** Longer than any process lives; also keeps sums from overflowing. */
	private static final long FOREVER_NANOS = Long.MAX_VALUE / 4;

	private final UdsPathServer server;

	private final SocketChannel channel;

	private final WireLimits limits;

	private final CallTimer timer;

	private final FrameChannel frames;

	private final EncodeBuffer out = new EncodeBuffer(FIRST_BUFFER_BYTES);

	private final Map<Integer, ServerBinding> bindings = new HashMap<>();

	private final AtomicInteger state = new AtomicInteger(IDLE);

	private volatile boolean goodbyeSaid;

	private int maxReplyBytes;

	ServerConnection(UdsPathServer server, SocketChannel channel) {
		this.server = server;
		this.channel = channel;
		this.limits = server.options().limits();
		this.timer = new CallTimer(server.watchdog(), channel);
		this.frames = new FrameChannel(channel, this.limits, this::armStalled);
		this.maxReplyBytes = this.limits.maxFrameBytes();
	}

	@Override
	public void run() {
		this.timer.begin();
		try {
			serve();
		}
		catch (WireException ex) {
			refuseAndClose(ex);
		}
		catch (IOException ex) {
			ended(ex);
		}
		catch (RuntimeException ex) {
			logger.error("A connection ended by a bug in the transport", ex);
		}
		finally {
			this.timer.end();
			if (this.state.get() == ENDING && !this.goodbyeSaid) {
				// The thread that decided to end may not have said so yet; once the
				// channel is closed it could not.
				sayGoodbye();
			}
			close();
			this.server.ended(this);
		}
	}

	private void ended(IOException ex) {
		if (this.timer.expired()) {
			this.server.refused(Refusal.STALLED, "the rest of a frame did not arrive within "
					+ this.server.options().handshakeTimeout().toMillis() + " ms");
		}
		else if (!(ex instanceof ClosedChannelException)) {
			logger.debug("A connection broke: {}", ex.getMessage());
		}
	}

	private void serve() throws IOException, WireException {
		this.server.peerCheck().check(this.channel);
		if (!handshake()) {
			return;
		}
		boolean open = true;
		while (open) {
			FrameHeader frame = this.frames.read();
			if (frame == null) {
				return;
			}
			disarm();
			if (frame.type != FrameType.GOODBYE) {
				requireTurn();
			}
			switch (frame.type) {
				case CALL -> open = call(frame);
				case BIND -> bind(frame);
				case GOODBYE -> open = false;
				default -> throw new WireException(Refusal.MALFORMED,
						"a frame of type %s has no place here".formatted(frame.type));
			}
		}
	}

	/** Returns whether the client said hello rather than nothing at all. */
	private boolean handshake() throws IOException, WireException {
		armStalled();
		FrameHeader frame = this.frames.read();
		if (frame == null) {
			return false;
		}
		disarm();
		if (frame.type != FrameType.HELLO) {
			throw new WireException(Refusal.MALFORMED,
					"a connection starts with HELLO, not with %s".formatted(frame.type));
		}
		requireTurn();
		Payload.Hello hello = Payload.Hello.read(this.frames.payload());
		String self = this.server.identity().instanceId();
		if (!hello.expected().equals(self)) {
			throw new WireException(Refusal.WRONG_INSTANCE,
					"this is instance %s, not '%s'".formatted(self, printable(hello.expected())));
		}
		if (hello.maxFrameBytes() < 0) {
			throw new WireException(Refusal.MALFORMED, "a negative frame limit");
		}
		this.maxReplyBytes = Math.min(hello.maxFrameBytes(), this.maxReplyBytes);
		int start = begin();
		new Payload.Welcome(self, this.limits.maxFrameBytes()).write(this.out);
		send(start, FrameType.WELCOME, 0, 0, frame.correlation, 0, 0);
		return true;
	}

	/**
	 * The sides take turns: that is what lets them use one buffer for both directions.
	 */
	private void requireTurn() throws WireException {
		if (this.frames.hasUnread()) {
			throw new WireException(Refusal.MALFORMED, "more bytes before the answer to a frame");
		}
	}

	private void bind(FrameHeader frame) throws IOException, WireException {
		Payload.Bind bind = Payload.Bind.read(this.frames.payload());
		if (this.bindings.size() >= MAX_BINDINGS) {
			throw new WireException(Refusal.MALFORMED, "more than %d bindings".formatted(MAX_BINDINGS));
		}
		try {
			Service service = this.server.services().find(bind.contract());
			if (service == null) {
				throw new WireException(Refusal.UNKNOWN_CONTRACT,
						"no bean offers the contract %s".formatted(printable(bind.contract())));
			}
			Contract contract = service.contract();
			if (!contract.hash().equals(bind.hash())) {
				throw new WireException(Refusal.CONTRACT_DIFFERS,
						"the contract %s differs: yours is %s, mine is %s; build both sides from the same version of it"
							.formatted(contract.name(), printable(bind.hash()), contract.hash()));
			}
			Optional<String> refusal = service.refusal();
			if (refusal.isPresent()) {
				throw new WireException(Refusal.SERVICE_REFUSES, refusal.get());
			}
			CodecChoice choice = service.codecs().choose(contract, bind.codecs());
			int start = begin();
			new Payload.Bound(choice.codec().name(), choice.reason(), service.codecs().offers(contract))
				.write(this.out);
			this.bindings.put(frame.binding, new ServerBinding(service, contract, choice.codec(), contract.methods()));
			send(start, FrameType.BOUND, 0, 0, frame.correlation, frame.binding, 0);
		}
		catch (WireException ex) {
			// Only this contract is refused; the connection serves others.
			refuse(ex.refusal(), 0, ex.text(), frame.correlation);
		}
		catch (RuntimeException ex) {
			logger.warn("The contract {} could not be bound", printable(bind.contract()), ex);
			refuse(Refusal.FAILED, 0, "the contract could not be bound: " + ex, frame.correlation);
		}
	}

	/** Returns whether the connection goes on. */
	private boolean call(FrameHeader frame) throws IOException, WireException {
		long correlation = frame.correlation;
		int bindingNumber = frame.binding;
		ServerBinding binding = this.bindings.get(bindingNumber);
		if (binding == null) {
			throw new WireException(Refusal.MALFORMED,
					"a call for binding %d, which is not bound".formatted(bindingNumber));
		}
		ContractMethod method = binding.method(frame.code);
		Map<String, String> headers = HeaderBlock.read(this.frames.body(), frame.headerBlockLength, this.limits);
		if (frame.remaining <= 0) {
			refuse(Refusal.DEADLINE, 0, "the deadline had passed when the call arrived", correlation);
			return true;
		}
		long deadline = (frame.remaining > FOREVER_NANOS) ? CallFrame.NO_DEADLINE : System.nanoTime() + frame.remaining;
		@Nullable Object[] arguments = decode(binding, method, frame);
		int requestBytes = FrameDescriptor.HEADER_BYTES + frame.length;
		this.frames.shrink();
		if (!this.state.compareAndSet(IDLE, BUSY)) {
			// The server ends: this call is not executed.
			return false;
		}
		UdsMetrics metrics = this.server.metrics();
		metrics.inFlight().increment();
		try {
			CallFrame call = new CallFrame(binding.contract(), method, arguments, deadline, headers);
			Reply reply = invoke(binding, call);
			metrics.calls().increment();
			boolean last = this.server.draining();
			reply(reply, binding, call, correlation, bindingNumber, last);
			metrics.bytes().add(requestBytes + this.out.size());
			this.out.clear(FrameChannel.KEEP_BYTES);
			if (last) {
				return false;
			}
		}
		finally {
			metrics.inFlight().decrement();
		}
		this.state.set(IDLE);
		if (this.server.draining()) {
			end();
			return false;
		}
		return true;
	}

	private @Nullable Object[] decode(ServerBinding binding, ContractMethod method, FrameHeader frame)
			throws WireException {
		try {
			return binding.codec()
				.decodeArguments(method, this.frames.body(), frame.headerBlockLength, frame.payloadLength());
		}
		catch (RuntimeException | StackOverflowError ex) {
			// Bytes that anybody may have written must not end more than this connection.
			throw new WireException(Refusal.CODEC, "the arguments cannot be decoded: " + ex.getMessage());
		}
	}

	private @Nullable Reply invoke(ServerBinding binding, CallFrame frame) {
		try {
			return binding.service().invoke(frame);
		}
		catch (Throwable ex) {
			logger.error("The service of {} threw instead of answering", binding.contract().name(), ex);
			return null;
		}
		finally {
			// A handler's left-over interrupt would close the channel.
			Thread.interrupted();
		}
	}

	private static @Nullable Reply unencodable(RuntimeException failure, ServerBinding binding, CallFrame call) {
		try {
			return binding.service().unencodable(call, failure);
		}
		catch (RuntimeException ex) {
			logger.error("The service of {} threw instead of answering", binding.contract().name(), ex);
			return null;
		}
	}

	private void reply(@Nullable Reply reply, ServerBinding binding, CallFrame call, long correlation,
			int bindingNumber, boolean last) throws IOException {
		int start = begin();
		try {
			if (reply == null) {
				throw new WireException(Refusal.FAILED, "the service threw instead of answering");
			}
			FrameType type;
			int headerBytes = HeaderBlock.writeLists(this.out, reply.headers(), this.limits);
			if (reply instanceof Reply.Value value) {
				type = FrameType.REPLY_VALUE;
				binding.codec().encodeResult(call.method(), value.body(), this.out);
			}
			else {
				type = FrameType.REPLY_FAILURE;
				Reply.Failure failure = (Reply.Failure) reply;
				Payload.writeText(this.out, failure.remoteType());
				this.out.write(failure.body(), 0, failure.body().length);
			}
			int length = this.out.size() - start - FrameDescriptor.HEADER_BYTES;
			if (length > this.maxReplyBytes) {
				throw new WireException(Refusal.TOO_LARGE, "the answer of %d bytes is larger than the limit of %d bytes"
					.formatted(length, this.maxReplyBytes));
			}
			FrameDescriptor.end(this.out, start, type, 0, headerBytes, correlation, bindingNumber, reply.status(), 0);
		}
		catch (WireException ex) {
			refusal(start, ex.refusal(), FrameDescriptor.FLAG_EXECUTED, ex.text(), correlation);
		}
		catch (RuntimeException | StackOverflowError ex) {
			if (reply instanceof Reply.Value && ex instanceof RuntimeException failure) {
				reply(unencodable(failure, binding, call), binding, call, correlation, bindingNumber, last);
				return;
			}
			refusal(start, Refusal.CODEC, FrameDescriptor.FLAG_EXECUTED,
					"the result cannot be encoded: " + ex.getMessage(), correlation);
		}
		if (last) {
			this.state.set(ENDING);
			Frames.appendGoodbye(this.out);
		}
		write();
		if (last) {
			this.goodbyeSaid = true;
		}
	}

	private int begin() {
		this.out.size(0);
		return FrameDescriptor.begin(this.out);
	}

	private void send(int start, FrameType type, int flags, int headerBytes, long correlation, int binding, int code)
			throws IOException {
		FrameDescriptor.end(this.out, start, type, flags, headerBytes, correlation, binding, code, 0);
		write();
	}

	private void write() throws IOException {
		if (this.out.size() <= LARGE_BYTES) {
			this.frames.write(this.out);
			return;
		}
		// A client that does not read must not hold the thread for ever.
		armStalled();
		this.frames.write(this.out);
		disarm();
	}

	private void refuse(Refusal refusal, int flags, String text, long correlation) throws IOException {
		refusal(begin(), refusal, flags, text, correlation);
		write();
	}

	private void refusal(int start, Refusal refusal, int flags, String text, long correlation) {
		this.server.refused(refusal, text);
		this.out.size(start + FrameDescriptor.HEADER_BYTES);
		Payload.writeReason(this.out, text);
		FrameDescriptor.end(this.out, start, FrameType.REFUSED, flags, 0, correlation, 0, refusal.number(), 0);
	}

	private void refuseAndClose(WireException cause) {
		try {
			armStalled();
			refuse(cause.refusal(), FrameDescriptor.FLAG_CLOSING, cause.text(), 0);
		}
		catch (IOException ex) {
			logger.debug("A refusal could not be sent: {}", ex.getMessage());
		}
	}

	/**
	 * Says that no further call is executed on this connection, unless one is being
	 * executed; then that call's answer says so. Called by any thread.
	 */
	void end() {
		if (this.state.compareAndSet(IDLE, ENDING)) {
			sayGoodbye();
			close();
		}
	}

	/** Returns whether a call is being executed. */
	boolean executes() {
		return this.state.get() == BUSY;
	}

	private void sayGoodbye() {
		try {
			this.channel.write(Frames.goodbye());
			this.goodbyeSaid = true;
		}
		catch (IOException ex) {
			logger.debug("GOODBYE could not be sent: {}", ex.getMessage());
		}
	}

	void close() {
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
	}

	private void armStalled() {
		this.timer.arm(this.server.watchdog().now() + this.server.options().handshakeTimeout().toNanos());
	}

	private void disarm() throws IOException {
		if (!this.timer.disarm()) {
			throw new ClosedChannelException();
		}
	}

	/** What a stranger wrote must not forge lines in a log. */
	private static String printable(String text) {
		String shown = (text.length() > 200) ? text.substring(0, 200) : text;
		return shown.replaceAll("[^\\x20-\\x7e]", "?");
	}

}
