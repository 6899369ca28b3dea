package io.github.vicinal.transport.direct;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.CodecException;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.Service;

/** The path of one contract to another application of this JVM. */
final class DirectPath implements CallPath {

	/** One of so many calls without a deadline is timed. */
	private static final int SAMPLE_MASK = 15;

	private final DirectTarget target;

	private final Service service;

	private final Contract calleeContract;

	private final CodecChoice codec;

	private final MethodPlan[] plans;

	private final Copier copier;

	private final LongAdder bytes;

	private volatile boolean closed;

	DirectPath(DirectTarget target, Service service, CodecChoice codec, MethodPlan[] plans, Copier copier,
			LongAdder bytes) {
		this.target = target;
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
		if (this.closed) {
			throw new PathException(Reason.PEER_GONE, false, "the path is closed", null);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted before the call",
					null);
		}
		MethodPlan plan = this.plans[frame.method().index()];
		@Nullable Object[] arguments = arguments(plan, frame);
		if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && plan.rule().trusted()
				&& (ThreadLocalRandom.current().nextInt() & SAMPLE_MASK) != 0) {
			return callHere(plan, frame, arguments);
		}
		return callObserved(plan, frame, arguments);
	}

	/** A handler that may take long runs elsewhere, so that its caller need not wait. */
	private Reply callObserved(MethodPlan plan, CallFrame frame, @Nullable Object[] arguments) throws PathException {
		long start = System.nanoTime();
		boolean limited = frame.deadlineNanos() != CallFrame.NO_DEADLINE;
		long remaining = limited ? frame.deadlineNanos() - start : Long.MAX_VALUE;
		if (remaining <= 0) {
			throw new PathException(Reason.TIMEOUT, false, "the deadline had passed before the call", null);
		}
		Reply reply = plan.rule().trusted() ? callHere(plan, frame, arguments)
				: callElsewhere(plan, frame, arguments, remaining);
		long took = System.nanoTime() - start;
		plan.rule().observe(took, Math.min(remaining, DeadlineRule.LONG_NANOS));
		if (limited && took > remaining) {
			throw new PathException(Reason.TIMEOUT, true, "the deadline passed before the handler returned", null);
		}
		return reply;
	}

	private Reply callHere(MethodPlan plan, CallFrame frame, @Nullable Object[] arguments) throws PathException {
		DirectTarget callee = this.target;
		try {
			if (!callee.enter()) {
				throw gone();
			}
			return result(plan, invoke(plan, frame, arguments, frame.headers()), frame);
		}
		finally {
			if (Thread.currentThread().isInterrupted()) {
				plan.rule().interruptedHere();
			}
			callee.leave();
		}
	}

	private Reply callElsewhere(MethodPlan plan, CallFrame frame, @Nullable Object[] arguments, long remaining)
			throws PathException {
		// The caller may be gone, and its map changed, while the handler still runs.
		Map<String, String> headers = Map.copyOf(frame.headers());
		HandOff<Reply> handOff = new HandOff<>(() -> {
			try {
				if (!this.target.enter()) {
					throw gone();
				}
				return result(plan, invoke(plan, frame, arguments, headers), frame);
			}
			finally {
				if (Thread.interrupted()) {
					plan.rule().interruptedElsewhere();
				}
				this.target.leave();
			}
		});
		try {
			this.target.executor().execute(handOff);
		}
		catch (RejectedExecutionException ex) {
			if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && !this.target.closed()) {
				return callHere(plan, frame, arguments);
			}
			throw new PathException(this.target.closed() ? Reason.PEER_GONE : Reason.EXHAUSTED, false,
					"the callee's executor takes no more calls", ex);
		}
		try {
			return handOff.await(remaining);
		}
		catch (PathException ex) {
			if (ex.reason() == Reason.TIMEOUT) {
				plan.rule().observe(Long.MAX_VALUE, remaining);
			}
			throw ex;
		}
	}

	private Reply invoke(MethodPlan plan, CallFrame frame, @Nullable Object[] arguments, Map<String, String> headers)
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

	private @Nullable Object[] arguments(MethodPlan plan, CallFrame frame) throws PathException {
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

	private Reply result(MethodPlan plan, Reply reply, CallFrame frame) throws PathException {
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

	private static PathException gone() {
		return new PathException(Reason.PEER_GONE, false, "the application has stopped", null);
	}

	@Override
	public boolean isOpen() {
		return !this.closed && !this.target.closed();
	}

	@Override
	public long bytesCarried() {
		return this.bytes.sum();
	}

	/** Calls in flight end normally. */
	@Override
	public void close() {
		this.closed = true;
	}

}
