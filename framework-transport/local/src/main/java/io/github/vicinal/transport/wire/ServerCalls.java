package io.github.vicinal.transport.wire;

import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server's half of the protocol, independent of the transport: binds contracts, decodes
 * calls, lets services answer them and encodes the replies. Thread-safe.
 */
public final class ServerCalls {

	private static final Logger logger = LoggerFactory.getLogger(ServerCalls.class);

	/** Longer than any process lives; also keeps sums from overflowing. */
	private static final long FOREVER_NANOS = Long.MAX_VALUE / 4;

	private final ServiceRegistry services;

	private final WireLimits limits;

	private final BiConsumer<Refusal, String> refused;

	/**
	 * Creates the server's half.
	 * @param services the services that answer
	 * @param limits limits of this side
	 * @param refused notified of each refusal
	 */
	public ServerCalls(ServiceRegistry services, WireLimits limits, BiConsumer<Refusal, String> refused) {
		this.services = services;
		this.limits = limits;
		this.refused = refused;
	}

	/**
	 * Binds a contract and appends the answer, BOUND or REFUSED, to a buffer.
	 * @param out receives the answer
	 * @param bind what the client wants
	 * @param correlation of the answer
	 * @param number of the binding
	 * @return the binding, or {@code null} if it was refused; the connection goes on
	 */
	public @Nullable ServerBinding bind(EncodeBuffer out, Payload.Bind bind, long correlation, int number) {
		int start = FrameDescriptor.begin(out);
		try {
			Service service = this.services.find(bind.contract());
			if (service == null) {
				throw new WireException(Refusal.UNKNOWN_CONTRACT,
						"no bean offers the contract %s".formatted(WireException.printable(bind.contract())));
			}
			Contract contract = service.contract();
			if (!contract.hash().equals(bind.hash())) {
				throw new WireException(Refusal.CONTRACT_DIFFERS,
						"the contract %s differs: hash %s at the client, %s at the server; build both sides from the same version of it"
							.formatted(contract.name(), WireException.printable(bind.hash()), contract.hash()));
			}
			Optional<String> refusal = service.refusal();
			if (refusal.isPresent()) {
				throw new WireException(Refusal.SERVICE_REFUSES, refusal.get());
			}
			CodecChoice choice = service.codecs().choose(contract, bind.codecs());
			new Payload.Bound(choice.codec().name(), choice.reason(), service.codecs().offers(contract)).write(out);
			FrameDescriptor.correlation(out, start, correlation);
			FrameDescriptor.binding(out, start, number);
			FrameDescriptor.end(out, start, FrameType.BOUND);
			return new ServerBinding(service, contract, choice.codec(), contract.methods());
		}
		catch (WireException ex) {
			refusal(out, start, ex.refusal(), 0, ex.text(), correlation);
		}
		catch (RuntimeException | Error ex) {
			// Other contracts go on.
			logger.warn("The contract {} could not be bound", WireException.printable(bind.contract()), ex);
			refusal(out, start, Refusal.FAILED, 0, "the contract could not be bound: " + ex, correlation);
		}
		return null;
	}

	/**
	 * Decodes a call.
	 * @param binding its contract
	 * @param frame its header
	 * @param body the bytes that follow the header
	 * @return the call
	 * @throws WireException if the bytes are no call, or its deadline has passed
	 */
	public CallFrame decode(ServerBinding binding, FrameHeader frame, byte[] body) throws WireException {
		ContractMethod method = binding.method(frame.code);
		Map<String, String> headers = HeaderBlock.read(body, frame.bodyOffset, frame.headerBlockLength, this.limits);
		if (frame.remaining <= 0) {
			throw new WireException(Refusal.DEADLINE, "the deadline had passed when the call arrived");
		}
		long deadline = (frame.remaining > FOREVER_NANOS) ? CallFrame.NO_DEADLINE : System.nanoTime() + frame.remaining;
		CallFrame call = new CallFrame(binding.contract(), method, arguments(binding, method, frame, body), deadline,
				headers);
		if (frame.has(FrameDescriptor.FLAG_TIMED)) {
			call.time();
		}
		return call;
	}

	private static @Nullable Object[] arguments(ServerBinding binding, ContractMethod method, FrameHeader frame,
			byte[] body) throws WireException {
		try {
			return binding.codec().decodeArguments(method, body, frame.payloadOffset(), frame.payloadLength());
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			// Bytes that anybody may have written, and classes that fail, must not end
			// more than this call.
			throw new WireException(Refusal.CODEC, "the arguments cannot be decoded: " + text(ex));
		}
	}

	/**
	 * Executes a call on this thread, which may have to wait for a permit.
	 * @param binding its contract
	 * @param call the call
	 * @param beforeWaiting called at most once, before this thread waits
	 * @return the reply, or {@code null} if the service broke its promise never to throw
	 * @throws WireException if nobody waits for the call any more, or only an HTTP
	 * request can be answered; it was not executed
	 */
	public @Nullable Reply invoke(ServerBinding binding, CallFrame call, Runnable beforeWaiting) throws WireException {
		try {
			return invokeForCaller(binding, call, beforeWaiting);
		}
		finally {
			// A handler's left-over interrupt would reach the next wait of this thread.
			Thread.interrupted();
		}
	}

	/**
	 * Executes a call as {@link #invoke} does, on the caller's own thread. An interrupt
	 * may be meant for the caller, so it is kept.
	 * @param binding its contract
	 * @param call the call
	 * @param beforeWaiting called at most once, before this thread waits
	 * @return the reply, or {@code null} if the service broke its promise never to throw
	 * @throws WireException if nobody waits for the call any more, or only an HTTP
	 * request can be answered; it was not executed
	 */
	public @Nullable Reply invokeForCaller(ServerBinding binding, CallFrame call, Runnable beforeWaiting)
			throws WireException {
		// Most calls are not timed: they do without the clock.
		long start = call.isTimed() ? System.nanoTime() : 0;
		try {
			Reply reply = binding.service().invoke(call, beforeWaiting);
			if (call.isTimed()) {
				// 0 would mean that nothing was measured.
				call.served(Math.max(1, System.nanoTime() - start));
			}
			return reply;
		}
		catch (RejectedRequestException ex) {
			boolean late = ex.rejection().reason() == Reason.DEADLINE;
			throw new WireException(late ? Refusal.DEADLINE : Refusal.FAILED, ex.rejection().message());
		}
		catch (HttpRequiredException ex) {
			throw new WireException(Refusal.HTTP_REQUIRED, String.valueOf(ex.getMessage()));
		}
		catch (Throwable ex) {
			logger.error("The service of {} threw instead of answering", binding.contract().name(), ex);
			return null;
		}
	}

	/**
	 * Appends the answer to a call to a buffer.
	 * @param out receives one frame
	 * @param reply what {@link #invoke} returned
	 * @param binding the call's contract
	 * @param call the call
	 * @param correlation of the call
	 * @param number of the binding
	 * @param maxBytes the longest frame that the client accepts
	 */
	public void reply(EncodeBuffer out, @Nullable Reply reply, ServerBinding binding, CallFrame call, long correlation,
			int number, int maxBytes) {
		int start = FrameDescriptor.begin(out);
		try {
			if (reply == null) {
				throw new WireException(Refusal.FAILED, "the service threw instead of answering");
			}
			WireLimits.requireStatus(reply.status(), Refusal.FAILED);
			FrameType type;
			int headerBytes = HeaderBlock.writeLists(out, reply.headers(), this.limits);
			if (reply instanceof Reply.Value value) {
				type = FrameType.REPLY_VALUE;
				binding.codec().encodeResult(call.method(), value.body(), out);
			}
			else {
				type = FrameType.REPLY_FAILURE;
				Reply.Failure failure = (Reply.Failure) reply;
				Payload.writeText(out, failure.remoteType());
				out.write(failure.body(), 0, failure.body().length);
			}
			int length = out.size() - start - FrameDescriptor.HEADER_BYTES;
			if (length > maxBytes) {
				throw new WireException(Refusal.TOO_LARGE,
						"the answer of %d bytes is larger than the limit of %d bytes".formatted(length, maxBytes));
			}
			FrameDescriptor.headerBlockLength(out, start, headerBytes);
			FrameDescriptor.correlation(out, start, correlation);
			FrameDescriptor.binding(out, start, number);
			FrameDescriptor.code(out, start, reply.status());
			FrameDescriptor.remaining(out, start, call.serviceNanos());
			FrameDescriptor.end(out, start, type);
		}
		catch (WireException ex) {
			refusal(out, start, ex.refusal(), FrameDescriptor.FLAG_EXECUTED, ex.text(), correlation);
		}
		catch (RuntimeException | LinkageError | AssertionError | StackOverflowError ex) {
			if (reply instanceof Reply.Value && ex instanceof RuntimeException failure) {
				out.size(start);
				reply(out, unencodable(failure, binding, call), binding, call, correlation, number, maxBytes);
				return;
			}
			refusal(out, start, Refusal.CODEC, FrameDescriptor.FLAG_EXECUTED,
					"the result cannot be encoded: " + text(ex), correlation);
		}
	}

	/** The message of an error says little without its type. */
	private static String text(Throwable ex) {
		return (ex instanceof RuntimeException) ? String.valueOf(ex.getMessage()) : ex.toString();
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

	/**
	 * Ends a frame as a refusal, whatever it held.
	 * @param out holds the frame
	 * @param start where the frame begins
	 * @param refusal why
	 * @param flags of {@link FrameDescriptor}
	 * @param text why, for people
	 * @param correlation of what is refused
	 */
	public void refusal(EncodeBuffer out, int start, Refusal refusal, int flags, String text, long correlation) {
		this.refused.accept(refusal, text);
		out.size(start + FrameDescriptor.HEADER_BYTES);
		Payload.writeReason(out, text);
		FrameDescriptor.clear(out, start);
		FrameDescriptor.flags(out, start, flags);
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.code(out, start, refusal.number());
		FrameDescriptor.end(out, start, FrameType.REFUSED);
	}

}
