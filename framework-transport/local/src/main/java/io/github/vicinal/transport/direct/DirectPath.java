package io.github.vicinal.transport.direct;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.CodecException;
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
import io.github.vicinal.transport.direct.DirectCalls.Callee;
import org.jspecify.annotations.Nullable;

/**
 * The path of one contract to another application of this JVM that has the same classes
 * of Vicinal as this one.
 */
final class DirectPath implements CallPath {

	/** Statuses of HTTP have three digits, as on the other paths. */
	private static final int MIN_STATUS = 100;

	private static final int MAX_STATUS = 999;

	private final DirectCalls<Parts> calls;

	private final CodecChoice codec;

	private final LongAdder bytes;

	/**
	 * Creates a path.
	 * @param bytes counts what the copier copies
	 */
	DirectPath(DirectCalls<Parts> calls, CodecChoice codec, LongAdder bytes) {
		this.calls = calls;
		this.codec = codec;
		this.bytes = bytes;
	}

	/**
	 * Parts of the callee that calls need.
	 *
	 * @param service the service that answers
	 * @param plans by index of the method
	 * @param copier copies what is not handed over
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Parts(Service service, HandoverPlan[] plans, Copier copier) {
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
		Callee<Parts> callee = this.calls.requireOpen();
		Parts parts = callee.parts();
		HandoverPlan plan = parts.plans[frame.method().index()];
		@Nullable Object[] arguments = arguments(parts.copier, plan, frame);
		return DirectCalls.call(callee.neighbour(), plan.rule(), frame,
				(headers) -> result(parts, plan, invoke(parts.service, plan, frame, arguments, headers), frame));
	}

	private static Reply invoke(Service service, HandoverPlan plan, CallFrame frame, @Nullable Object[] arguments,
			Map<String, String> headers) throws PathException {
		CallFrame callee = new CallFrame(service.contract(), plan.calleeMethod(), arguments, frame.deadlineNanos(),
				headers);
		try {
			return service.invoke(callee, DirectPath::waits);
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

	private static @Nullable Object[] arguments(Copier copier, HandoverPlan plan, CallFrame frame)
			throws PathException {
		if (plan.argumentsByReference()) {
			return frame.arguments();
		}
		try {
			return copier.arguments(plan, frame.arguments());
		}
		catch (CodecException ex) {
			throw new PathException(Reason.CODEC, false, String.valueOf(ex.getMessage()), ex);
		}
	}

	private static Reply result(Parts parts, HandoverPlan plan, Reply reply, CallFrame frame) throws PathException {
		if (reply.status() < MIN_STATUS || reply.status() > MAX_STATUS) {
			throw new PathException(Reason.REFUSED, true, "there is no status %d".formatted(reply.status()), null);
		}
		if (plan.resultByReference() || !(reply instanceof Reply.Value value)) {
			return reply;
		}
		try {
			return new Reply.Value(value.status(), value.headers(), parts.copier.result(plan, value.body()));
		}
		catch (Copier.EncodingException ex) {
			return parts.service.unencodable(new CallFrame(parts.service.contract(), plan.calleeMethod(),
					frame.arguments(), frame.deadlineNanos(), frame.headers()), ex);
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
