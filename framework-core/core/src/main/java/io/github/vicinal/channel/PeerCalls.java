package io.github.vicinal.channel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.LaterCalls;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.selection.PathSelector;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to a peer over its paths, keeps their statistics and reports what they cost
 * to the selector. Thread-safe, without locks.
 *
 * @since 0.1.0
 */
public final class PeerCalls {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private static final int SERVER_ERROR = 500;

	/** Mask of random numbers with which direct calls are timed: one call in 16. */
	private static final int SAMPLE_MASK = 15;

	private final Channel channel;

	private final Peer peer;

	private final PeerConnector connector;

	private final PathOrder order;

	/** The open paths to other processes, by their numbers in the order. */
	private final AtomicReferenceArray<@Nullable CallPath> others;

	/** Indexed by the path's number in the order. */
	private final PathStatistics[] statistics;

	private final PathStatistics directStatistics;

	private final CallSizes sizes;

	PeerCalls(Channel channel, Peer peer, PeerConnector connector, AtomicReferenceArray<@Nullable CallPath> others,
			CallSizes sizes) {
		this.channel = channel;
		this.peer = peer;
		this.connector = connector;
		this.order = channel.order();
		this.others = others;
		this.sizes = sizes;
		this.statistics = new PathStatistics[this.order.size()];
		for (int i = 0; i < this.statistics.length; i++) {
			this.statistics[i] = new PathStatistics();
		}
		this.directStatistics = statistics(PathKind.DIRECT);
	}

	/** Returns the statistics of a kind, empty ones if the channel may not use it. */
	PathStatistics statistics(PathKind kind) {
		int number = this.order.number(kind);
		return (number >= 0) ? this.statistics[number] : new PathStatistics();
	}

	/**
	 * Returns the headers of each call: what the client adds, and the peer's ticket.
	 * @return values by lower-case names; not to be changed
	 */
	public Map<String, String> frameHeaders() {
		return this.peer.frameHeaders();
	}

	/** Makes a call inside this JVM. Shorter than any bookkeeping. */
	private Reply direct(CallPath path, CallFrame frame) throws PathException {
		PathStatistics counted = this.directStatistics;
		PeerAnnouncement called = this.peer.announcement();
		counted.count();
		try {
			if ((ThreadLocalRandom.current().nextInt() & SAMPLE_MASK) != 0) {
				return path.call(frame);
			}
			long start = System.nanoTime();
			this.channel.look(start);
			Reply reply = path.call(frame);
			counted.time(System.nanoTime() - start);
			return reply;
		}
		catch (PathException ex) {
			if (ex.reason() == PathException.Reason.HTTP_REQUIRED) {
				this.peer.httpRequired(called, frame.method(), String.valueOf(ex.getMessage()));
			}
			else {
				counted.error();
			}
			if (!path.isOpen()) {
				this.connector.failed(path, String.valueOf(ex.getMessage()));
			}
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			counted.error();
			throw ex;
		}
	}

	/**
	 * Makes a call over a path, or over the next one if the path has no room for it. A
	 * path that can no longer carry calls is left.
	 * @param path what {@link Peer#path} returned
	 * @param frame the call
	 * @return the reply
	 * @throws PathException if there is no answer
	 */
	public Reply call(CallPath path, CallFrame frame) throws PathException {
		PathKind kind = path.kind();
		if (kind == PathKind.DIRECT || kind.equals(PathKind.DIRECT)) {
			return direct(path, frame);
		}
		CallPath taken = path;
		while (true) {
			try {
				return callBy(taken, frame);
			}
			catch (PathException ex) {
				CallPath next = next(taken, frame, ex);
				if (next == null) {
					throw ex;
				}
				taken = next;
			}
		}
	}

	/** The call was not executed, and its path is not to blame. */
	private static boolean isOverflow(PathException failure) {
		return failure.reason() == PathException.Reason.EXHAUSTED && !failure.maybeExecuted();
	}

	/**
	 * Returns the next path in order that is open, if a failed call may go on to it, or
	 * {@code null}.
	 */
	private @Nullable CallPath next(CallPath taken, CallFrame frame, PathException failure) {
		if (!isOverflow(failure) || frame.remainingNanos() <= 0) {
			return null;
		}
		for (int number = this.order.number(taken.kind()) + 1; number < this.order.http(); number++) {
			CallPath path = this.others.get(number);
			if (path != null && path.isOpen() && !this.peer.selector().cost(number).late()) {
				return path;
			}
		}
		return null;
	}

	private Reply callBy(CallPath path, CallFrame frame) throws PathException {
		PathSelector chooser = this.peer.selector();
		PeerAnnouncement called = this.peer.announcement();
		int number = this.order.number(path.kind());
		this.statistics[number].count();
		ContractMethod method = frame.method();
		long expected = this.sizes.expected(method.index(), frame.arguments());
		int ticket = chooser.begin(number, method.index(), expected);
		long cpu = (ticket == PathSelector.TIMED_WITH_CPU) ? cpuNanos() : 0;
		long start = (ticket != PathSelector.UNTIMED) ? System.nanoTime() : 0;
		Reply reply = null;
		if (ticket != PathSelector.UNTIMED) {
			frame.time();
		}
		try {
			reply = path.call(frame);
		}
		catch (PathException | RuntimeException | Error ex) {
			failed(path, number, chooser, called, method, expected, ex);
			throw ex;
		}
		finally {
			chooser.end(number, ticket, reply != null);
		}
		answered(number, chooser, ticket, frame, expected, reply, start);
		if (ticket == PathSelector.TIMED_WITH_CPU && cpu >= 0 && showsCost(reply.status())) {
			chooser.recordCpu(number, cpuNanos() - cpu);
		}
		return reply;
	}

	private void failed(CallPath path, int number, PathSelector chooser, @Nullable PeerAnnouncement called,
			ContractMethod method, long expected, Throwable failure) {
		PathStatistics counted = this.statistics[number];
		if (!(failure instanceof PathException known)) {
			counted.error();
			chooser.passed(number, expected);
			return;
		}
		if (known.reason() == PathException.Reason.HTTP_REQUIRED) {
			this.peer.httpRequired(called, method, String.valueOf(known.getMessage()));
		}
		else if (!isOverflow(known)) {
			counted.error();
		}
		if (!path.isOpen()) {
			this.connector.failed(path, String.valueOf(known.getMessage()));
		}
		else if (countsAgainst(known)) {
			chooser.failed(number, expected, System.nanoTime());
		}
		else {
			chooser.passed(number, expected);
		}
	}

	private void answered(int number, PathSelector chooser, int ticket, CallFrame frame, long expected, Reply reply,
			long start) {
		if (!showsCost(reply.status())) {
			chooser.passed(number, expected);
		}
		else if (ticket != PathSelector.UNTIMED) {
			ContractMethod method = frame.method();
			long now = System.nanoTime();
			this.statistics[number].time(now - start);
			long bytes = (frame.bytes() > 0) ? frame.bytes() : expected;
			this.sizes.carried(method.index(), frame.arguments(), bytes);
			chooser.record(number, method.index(), expected, bytes, method.idempotent(), now - start,
					frame.serviceNanos(), now);
		}
	}

	/**
	 * Makes a call over a path as {@link #call} does, without holding the calling thread.
	 * @param path what {@link Peer#path} returned
	 * @param frame the call; not to be used until the stage completes
	 * @param executor runs what may block: see {@link CallPath#callLater}
	 * @return a stage that completes with the reply, or with a {@link PathException} if
	 * there is no answer
	 */
	public CompletionStage<Reply> callLater(CallPath path, CallFrame frame, Executor executor) {
		if (path.kind().equals(PathKind.DIRECT)) {
			return LaterCalls.make(() -> direct(path, frame), executor);
		}
		CompletableFuture<Reply> answer = new CompletableFuture<>();
		laterBy(path, frame, executor, answer);
		return answer;
	}

	private void laterBy(CallPath path, CallFrame frame, Executor executor, CompletableFuture<Reply> answer) {
		PathSelector chooser = this.peer.selector();
		PeerAnnouncement called = this.peer.announcement();
		int number = this.order.number(path.kind());
		this.statistics[number].count();
		ContractMethod method = frame.method();
		long expected = this.sizes.expected(method.index(), frame.arguments());
		int ticket = chooser.begin(number, method.index(), expected);
		long start = (ticket != PathSelector.UNTIMED) ? System.nanoTime() : 0;
		if (ticket != PathSelector.UNTIMED) {
			frame.time();
		}
		CompletionStage<Reply> made;
		try {
			made = path.callLater(frame, executor);
		}
		catch (RuntimeException | Error ex) {
			made = CompletableFuture.failedStage(ex);
		}
		made.whenComplete((reply, problem) -> {
			if (problem == null) {
				chooser.end(number, ticket, true);
				answered(number, chooser, ticket, frame, expected, reply, start);
				answer.complete(reply);
				return;
			}
			Throwable failure = (problem instanceof CompletionException && problem.getCause() != null)
					? problem.getCause() : problem;
			failed(path, number, chooser, called, method, expected, failure);
			chooser.end(number, ticket, false);
			CallPath next = (failure instanceof PathException known) ? next(path, frame, known) : null;
			if (next != null) {
				laterBy(next, frame, executor, answer);
			}
			else {
				answer.completeExceptionally(failure);
			}
		});
	}

	/**
	 * A call that the peer refuses or that this side cannot encode would fail on any
	 * path. A path without room for a further call is healthy.
	 */
	private static boolean countsAgainst(PathException failure) {
		return switch (failure.reason()) {
			case PEER_GONE, PROTOCOL, TIMEOUT, IO -> true;
			case REFUSED, HTTP_REQUIRED, INTERRUPTED, EXHAUSTED, CODEC -> false;
		};
	}

	/** A server that refuses calls is fast; that is no reason to send it more of them. */
	static boolean showsCost(int status) {
		return status < SERVER_ERROR;
	}

	/** Returns the CPU time of the calling thread, -1 where that is not known. */
	private static long cpuNanos() {
		try {
			return THREADS.getCurrentThreadCpuTime();
		}
		catch (UnsupportedOperationException ex) {
			// A virtual thread, or a JVM that does not count.
			return -1;
		}
	}

	/** Begins a call over HTTP. */
	CallOverHttp overHttp(ContractMethod method, @Nullable Object[] arguments, boolean comparable) {
		return new CallOverHttp(this.statistics[this.order.http()], this.order.http(),
				comparable ? this.peer.selector() : null, method, this.sizes.expected(method.index(), arguments));
	}

}
