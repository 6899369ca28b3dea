package io.github.vicinal.transport.direct;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.CodecException;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.Service;
import org.jspecify.annotations.Nullable;

/**
 * The path of one contract to another application of this JVM that has the same classes
 * of Vicinal as this one.
 */
final class DirectPath implements CallPath {

	private final DirectCalls calls;

	private final Service service;

	private final Contract calleeContract;

	private final CodecChoice codec;

	private final HandoverPlan[] plans;

	private final Copier copier;

	private final LongAdder bytes;

	DirectPath(DirectTarget target, Service service, CodecChoice codec, HandoverPlan[] plans, Copier copier,
			LongAdder bytes) {
		this.calls = new DirectCalls(target);
		this.service = service;
		this.calleeContract = service.contract();
		this.codec = codec;
		this.plans = plans;
		this.copier = copier;
		this.bytes = bytes;
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
		this.calls.requireOpen();
		HandoverPlan plan = this.plans[frame.method().index()];
		@Nullable Object[] arguments = arguments(plan, frame);
		return this.calls.call(plan.rule(), frame,
				(headers) -> result(plan, invoke(plan, frame, arguments, headers), frame));
	}

	private Reply invoke(HandoverPlan plan, CallFrame frame, @Nullable Object[] arguments, Map<String, String> headers)
			throws PathException {
		CallFrame callee = new CallFrame(this.calleeContract, plan.calleeMethod(), arguments, frame.deadlineNanos(),
				headers);
		try {
			return this.service.invoke(callee, DirectPath::waits);
		}
		catch (RejectedRequestException ex) {
			boolean interrupted = ex.rejection().reason() == Rejection.Reason.INTERRUPTED;
			throw new PathException(interrupted ? Reason.INTERRUPTED : Reason.TIMEOUT, false, ex.rejection().message(),
					ex);
		}
		catch (HttpRequiredException ex) {
			throw new PathException(Reason.HTTP_REQUIRED, false, String.valueOf(ex.getMessage()), ex);
		}
		catch (RuntimeException ex) {
			throw new PathException(Reason.REFUSED, true, "the service threw instead of answering: " + ex, ex);
		}
	}

	/** The caller waits for the outcome anyway. */
	private static void waits() {
	}

	private @Nullable Object[] arguments(HandoverPlan plan, CallFrame frame) throws PathException {
		if (plan.argumentsByReference()) {
			return frame.arguments();
		}
		try {
			return this.copier.arguments(plan, frame.arguments());
		}
		catch (CodecException ex) {
			throw new PathException(Reason.CODEC, false, String.valueOf(ex.getMessage()), ex);
		}
	}

	private Reply result(HandoverPlan plan, Reply reply, CallFrame frame) throws PathException {
		if (plan.resultByReference() || !(reply instanceof Reply.Value value)) {
			return reply;
		}
		try {
			return new Reply.Value(value.status(), value.headers(), this.copier.result(plan, value.body()));
		}
		catch (Copier.EncodingException ex) {
			return this.service.unencodable(new CallFrame(this.calleeContract, plan.calleeMethod(), frame.arguments(),
					frame.deadlineNanos(), frame.headers()), ex);
		}
		catch (CodecException ex) {
			throw new PathException(Reason.CODEC, true, String.valueOf(ex.getMessage()), ex);
		}
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
