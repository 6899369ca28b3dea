package io.github.vicinal.transport.direct;

import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.CodecException;
import io.github.vicinal.codec.ContractCodec;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/**
 * Brings values from one application to the other, encoded by the one and decoded by the
 * other. Thread-safe.
 */
final class Copier {

	private final ContractCodec caller;

	private final @Nullable ClassLoader callerLoader;

	private final ContractCodec callee;

	private final @Nullable ClassLoader calleeLoader;

	private final BufferPool buffers;

	private final LongAdder bytes;

	Copier(ContractCodec caller, @Nullable ClassLoader callerLoader, ContractCodec callee,
			@Nullable ClassLoader calleeLoader, BufferPool buffers, LongAdder bytes) {
		this.caller = caller;
		this.callerLoader = callerLoader;
		this.callee = callee;
		this.calleeLoader = calleeLoader;
		this.buffers = buffers;
		this.bytes = bytes;
	}

	@Nullable Object[] arguments(HandoverPlan plan, @Nullable Object[] arguments) {
		EncodeBuffer buffer = this.buffers.take();
		try {
			encodeArguments(plan, arguments, buffer);
			return decodeArguments(plan, arguments, buffer);
		}
		finally {
			this.buffers.giveBack(buffer);
		}
	}

	private void encodeArguments(HandoverPlan plan, @Nullable Object[] arguments, EncodeBuffer buffer) {
		ClassLoader before = ContextLoader.enter(this.callerLoader);
		try {
			this.caller.encodeArguments(plan.callerMethod(), plan.withoutReferences(arguments), buffer);
		}
		catch (RuntimeException ex) {
			throw failed("arguments", "encoded", plan.callerMethod(), ex);
		}
		finally {
			ContextLoader.leave(before, this.callerLoader);
		}
	}

	private @Nullable Object[] decodeArguments(HandoverPlan plan, @Nullable Object[] arguments, EncodeBuffer buffer) {
		ClassLoader before = ContextLoader.enter(this.calleeLoader);
		try {
			this.bytes.add(buffer.size());
			@Nullable Object[] copies = this.callee.decodeArguments(plan.calleeMethod(), buffer.array(), 0, buffer.size());
			plan.addReferences(arguments, copies);
			return copies;
		}
		catch (RuntimeException ex) {
			throw failed("arguments", "decoded", plan.callerMethod(), ex);
		}
		finally {
			ContextLoader.leave(before, this.calleeLoader);
		}
	}

	@Nullable Object result(HandoverPlan plan, @Nullable Object result) {
		EncodeBuffer buffer = this.buffers.take();
		try {
			return decodeResult(plan, encodeResult(plan, result, buffer));
		}
		finally {
			this.buffers.giveBack(buffer);
		}
	}

	private EncodeBuffer encodeResult(HandoverPlan plan, @Nullable Object result, EncodeBuffer buffer) {
		ClassLoader before = ContextLoader.enter(this.calleeLoader);
		try {
			this.callee.encodeResult(plan.calleeMethod(), result, buffer);
			return buffer;
		}
		catch (RuntimeException ex) {
			throw new EncodingException(failed("result", "encoded", plan.callerMethod(), ex));
		}
		finally {
			ContextLoader.leave(before, this.calleeLoader);
		}
	}

	private @Nullable Object decodeResult(HandoverPlan plan, EncodeBuffer buffer) {
		ClassLoader before = ContextLoader.enter(this.callerLoader);
		try {
			this.bytes.add(buffer.size());
			return this.caller.decodeResult(plan.callerMethod(), buffer.array(), 0, buffer.size());
		}
		catch (RuntimeException ex) {
			throw failed("result", "decoded", plan.callerMethod(), ex);
		}
		finally {
			ContextLoader.leave(before, this.callerLoader);
		}
	}

	private static CodecException failed(String what, String action, ContractMethod method, RuntimeException cause) {
		return new CodecException(
				"the %s of %s cannot be %s: %s".formatted(what, method.signature(), action, cause.getMessage()), cause);
	}

	/** The callee's value is at fault, not the caller's. */
	@SuppressWarnings("serial")
	static final class EncodingException extends CodecException {

		private EncodingException(CodecException cause) {
			super(String.valueOf(cause.getMessage()), cause);
		}

	}

}
