package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import io.github.vicinal.report.LatencyHistogram;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServerReport.Quantiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a limited number of requests run at once, in the order of priority and arrival,
 * and rejects at once requests that it could not serve in time. Thread-safe.
 * <p>
 * A request either brings its own thread, which waits for its permit ({@link #enter}), or
 * is handed over to threads of the server ({@link #submit}). If a permit is free and
 * nobody waits, a permit costs one compare-and-set, and the work runs to completion on
 * the thread that brought it.
 * <p>
 * A burst is queued. When the queue stands instead, see {@link OverloadDetector}, a
 * request is accepted only if it is expected to wait for less than its patience, and one
 * that waits for much longer nevertheless is rejected. So the permits never run dry, and
 * accepted requests are answered in time.
 *
 * <pre class="code">
 * try (Permit permit = server.enter("shop", Priority.NORMAL)) {
 *     return load(42);
 * }
 * CompletableFuture&lt;Order&gt; order = server.submit("shop", Priority.NORMAL, () -&gt; load(42));
 * </pre>
 *
 * Source: the multithreaded application server (queue, 1 to 10 threads, POST delay and
 * response time), which has no overload control; its queue grows without bound.
 *
 * @since 0.1.0
 */
public final class RequestServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RequestServer.class);

	/** Says that the caller waits for its permit for as long as it takes. */
	public static final long NO_DEADLINE = Ticket.NO_DEADLINE;

	/**
	 * Interval, in permits, at which brief permits are timed. Reading the clock takes as
	 * long as the rest of a permit, so one timed permit counts for all of them.
	 */
	private static final int BRIEF_SAMPLE = 16;

	private final RequestServerSettings settings;

	private final LongSupplier clock;

	private final PermitQueue queue;

	private final QueueWatch watch;

	private final Executor threads;

	/**
	 * {@link ThreadCounts} of each thread. The class of the values is one of the JDK, as
	 * threads that outlive the application may keep them.
	 */
	private final ThreadLocal<AtomicIntegerArray> counts = ThreadLocal.withInitial(ThreadCounts::create);

	private final LatencyHistogram postDelays = LatencyHistogram.fine();

	private final LatencyHistogram waits = LatencyHistogram.fine();

	private final LatencyHistogram responses = LatencyHistogram.fine();

	private final LongAdder failed = new LongAdder();

	/** Receivers of times; replaced as a whole, never modified. */
	private volatile RequestTimes[] receivers = {};

	/**
	 * Creates a server. Its threads start with the requests that need them, and have the
	 * context class loader of the thread that creates it.
	 * @param settings what is configured
	 */
	public RequestServer(RequestServerSettings settings) {
		this(settings, System::nanoTime);
	}

	RequestServer(RequestServerSettings settings, LongSupplier clock) {
		this.settings = settings;
		this.clock = clock;
		this.queue = new PermitQueue(settings, clock);
		this.watch = new QueueWatch(this.queue, settings.name());
		this.threads = WorkerThreads.of(settings);
	}

	/**
	 * Takes a permit, or waits for one on this thread.
	 * @param channel what it counts for: requests of one channel share a bulkhead
	 * @param priority how much it matters
	 * @return the permit, to be closed once the work is done
	 * @throws RejectedRequestException if there is no permit for this request
	 */
	public Permit enter(String channel, Priority priority) {
		return enter(channel, priority, NO_DEADLINE, RequestServer::nothing);
	}

	private static void nothing() {
	}

	/**
	 * Takes a permit, or waits for one on this thread. A thread that has a permit already
	 * gets another one at once, as it could wait for itself otherwise.
	 * @param channel what it counts for
	 * @param priority how much it matters
	 * @param deadlineNanos the {@link System#nanoTime()} after which the permit is of no
	 * use, or {@link #NO_DEADLINE}
	 * @param beforeWaiting called at most once, if this thread has to wait
	 * @return the permit, to be closed once the work is done
	 * @throws RejectedRequestException if there is no permit for this request; it must
	 * not be executed then
	 */
	public Permit enter(String channel, Priority priority, long deadlineNanos, Runnable beforeWaiting) {
		return enter(channel, priority, List.of(), deadlineNanos, beforeWaiting);
	}

	/**
	 * Takes a permit, or waits for one on this thread. A thread that has a permit already
	 * gets another one at once, as it could wait for itself otherwise.
	 * @param channel what it counts for
	 * @param priority how much it matters
	 * @param bulkheads what else it counts for
	 * @param deadlineNanos the {@link System#nanoTime()} after which the permit is of no
	 * use, or {@link #NO_DEADLINE}
	 * @param beforeWaiting called at most once, if this thread has to wait
	 * @return the permit, to be closed once the work is done
	 * @throws RejectedRequestException if there is no permit for this request; it must
	 * not be executed then
	 */
	public Permit enter(String channel, Priority priority, List<Bulkhead> bulkheads, long deadlineNanos,
			Runnable beforeWaiting) {
		AtomicIntegerArray own = this.counts.get();
		if (ThreadCounts.hasPermit(own)) {
			return new Permit(this, List.of(), own, 0, 0, Permit.NESTED);
		}
		List<Bulkhead> counted = counted(channel, bulkheads);
		if (counted.isEmpty() && this.queue.tryEnter()) {
			ThreadCounts.taken(own);
			boolean brief = this.queue.brief();
			if (brief && (ThreadCounts.brief(own) & (BRIEF_SAMPLE - 1)) != 0) {
				return new Permit(this, counted, own, 0, 0, Permit.UNTIMED);
			}
			long now = this.clock.getAsLong();
			return new Permit(this, counted, own, now, now, brief ? BRIEF_SAMPLE : 1);
		}
		long arrived = this.clock.getAsLong();
		await(new ThreadTicket(channel, counted, priority, deadlineNanos), beforeWaiting);
		ThreadCounts.taken(own);
		long started = this.clock.getAsLong();
		return new Permit(this, counted, own, arrived, started, 1);
	}

	private List<Bulkhead> counted(String channel, List<Bulkhead> bulkheads) {
		int most = this.settings.maxPerChannel();
		if (most == 0) {
			return bulkheads;
		}
		Bulkhead own = new Bulkhead(channel, most);
		if (bulkheads.isEmpty()) {
			return List.of(own);
		}
		List<Bulkhead> all = new ArrayList<>(bulkheads);
		all.add(own);
		return all;
	}

	private void await(ThreadTicket ticket, Runnable beforeWaiting) {
		Rejection rejection = null;
		switch (this.queue.enter(ticket)) {
			case GRANTED -> {
				return;
			}
			case QUEUED -> {
				this.watch.begin();
				prepare(beforeWaiting, ticket);
				rejection = ticket.await(this.queue, this.clock);
				waited(this.clock.getAsLong() - ticket.queuedNanos);
			}
			case REFUSED -> rejection = rejection(ticket);
		}
		if (rejection != null) {
			throw new RejectedRequestException(rejection);
		}
	}

	private void waited(long nanos) {
		this.waits.record(nanos, 1);
		for (RequestTimes receiver : this.receivers) {
			receiver.waited(nanos);
		}
	}

	private @Nullable Rejection rejection(Ticket ticket) {
		PendingRejection pending = ticket.why;
		return (pending != null) ? this.queue.rejection(pending) : null;
	}

	private void prepare(Runnable beforeWaiting, ThreadTicket ticket) {
		try {
			beforeWaiting.run();
		}
		catch (RuntimeException | Error ex) {
			// The permit may come all the same, and must not be lost.
			if (ticket.await(this.queue, this.clock) == null) {
				grant(this.queue.leave(ticket.bulkheads()));
			}
			throw ex;
		}
	}

	/** Ends a permit. */
	void leave(List<Bulkhead> counted, long arrived, long started, int weight) {
		if (weight > 0) {
			record(arrived, started, weight);
		}
		grant(this.queue.leave(counted));
	}

	/** Returns whether a permit may be given away for a while. */
	boolean mayPause() {
		return this.queue.mayPause();
	}

	/** Ends what {@link #mayPause} allowed, without a pause. */
	void mayNotPause() {
		this.queue.mayNotPause();
	}

	/** Gives a permit to the next waiter for a while. */
	void pause() {
		grant(this.queue.pause());
	}

	/** Takes a permit that was given away for a while. */
	void resume() {
		this.queue.resume();
	}

	long nanoTime() {
		return this.clock.getAsLong();
	}

	private void record(long arrived, long started, int weight) {
		long now = this.clock.getAsLong();
		this.queue.served(now - started, weight);
		this.responses.record(now - arrived, weight);
		for (RequestTimes receiver : this.receivers) {
			receiver.response(now - arrived, weight);
		}
	}

	private static void grant(@Nullable Ticket next) {
		if (next != null) {
			next.granted();
		}
	}

	/**
	 * Executes a piece of work on a thread of the server.
	 * @param <T> the type of its result
	 * @param channel what it counts for
	 * @param priority how much it matters
	 * @param handler the work
	 * @return completes with the result, with what the handler threw, or with a
	 * {@link RejectedRequestException}
	 */
	public <T> CompletableFuture<T> submit(String channel, Priority priority, Callable<T> handler) {
		CompletableFuture<T> result = new CompletableFuture<>();
		execute(new Request(channel, priority) {

			@Override
			protected void run() {
				try {
					result.complete(handler.call());
				}
				catch (Throwable ex) {
					result.completeExceptionally(ex);
				}
			}

			@Override
			protected void rejected(Rejection rejection) {
				result.completeExceptionally(new RejectedRequestException(rejection));
			}

		});
		return result;
	}

	/**
	 * Executes a request on a thread of the server, or rejects it.
	 * @param request the request
	 */
	public void execute(Request request) {
		Handover ticket = new Handover(request);
		boolean free = ticket.bulkheads().isEmpty() && this.queue.tryEnter();
		if (!free) {
			PermitQueue.Entry entry = this.queue.enter(ticket);
			Rejection rejection = rejection(ticket);
			if (entry == PermitQueue.Entry.REFUSED && rejection != null) {
				this.queue.reject(ticket, rejection);
				return;
			}
			free = entry == PermitQueue.Entry.GRANTED;
		}
		delayed(this.clock.getAsLong() - request.arrivedNanos());
		if (free) {
			ticket.granted();
		}
		else {
			this.watch.begin();
		}
	}

	private void delayed(long nanos) {
		this.postDelays.record(nanos, 1);
		for (RequestTimes receiver : this.receivers) {
			receiver.postDelay(nanos);
		}
	}

	/** A request that a thread of the server executes. */
	private final class Handover extends Ticket implements Runnable {

		private final Request request;

		Handover(Request request) {
			super(request.channel(), RequestServer.this.counted(request.channel(), List.of()), request.priority(),
					NO_DEADLINE);
			this.request = request;
		}

		/** Starts, or leaves the permit to the next one that can. */
		@Override
		void granted() {
			Ticket next = this;
			while (next instanceof Handover handover) {
				if (handover.start()) {
					return;
				}
				next = RequestServer.this.queue.leave(handover.bulkheads());
			}
			grant(next);
		}

		private boolean start() {
			try {
				RequestServer.this.threads.execute(this);
				return true;
			}
			catch (OutOfMemoryError | RejectedExecutionException ex) {
				logger.warn("Request server '{}': no further thread can be started", RequestServer.this.settings.name(),
						ex);
				RequestServer.this.queue.noThread(this);
				return false;
			}
		}

		@Override
		void rejected(Rejection rejection) {
			this.request.rejected(rejection);
		}

		/** Executes the request, and those that get its permit after it. */
		@Override
		public void run() {
			Ticket next = this;
			while (next instanceof Handover handover) {
				next = handover.execute();
			}
			grant(next);
		}

		private @Nullable Ticket execute() {
			AtomicIntegerArray own = RequestServer.this.counts.get();
			long started = RequestServer.this.clock.getAsLong();
			ThreadCounts.taken(own);
			try {
				this.request.run();
			}
			catch (Throwable ex) {
				RequestServer.this.failed.increment();
				logger.warn("Request server '{}': a request of channel '{}' failed", RequestServer.this.settings.name(),
						channel(), ex);
			}
			ThreadCounts.returned(own);
			Thread.interrupted();
			record(this.request.arrivedNanos(), started, 1);
			return RequestServer.this.queue.leave(bulkheads());
		}

	}

	/**
	 * Accepts nothing more, and lets what was accepted end.
	 * @param timeout how long to wait for that; what still waits then is rejected, what
	 * runs goes on
	 * @return whether all that was accepted has ended
	 * @throws InterruptedException if the calling thread is interrupted; nothing more is
	 * accepted nevertheless
	 */
	public boolean drain(Duration timeout) throws InterruptedException {
		// Ends at the largest number where toNanos would throw.
		boolean drained = this.queue.drain(TimeUnit.NANOSECONDS.convert(timeout));
		this.queue.refuseWaiting();
		return drained;
	}

	/** Accepts nothing more and rejects all waiters. Running requests go on. */
	@Override
	public void close() {
		this.queue.refuseWaiting();
		this.watch.close();
		if (this.threads instanceof ExecutorService service) {
			service.shutdown();
		}
	}

	/**
	 * Returns what is configured.
	 * @return the settings
	 */
	public RequestServerSettings settings() {
		return this.settings;
	}

	/**
	 * Returns the number of requests that run now.
	 * @return a snapshot
	 */
	public int running() {
		return this.queue.running();
	}

	/**
	 * Returns the number of requests that wait now.
	 * @return a snapshot
	 */
	public int waiting() {
		return this.queue.waiting();
	}

	/**
	 * Adds a receiver of the times of requests. Without one, times are only counted for
	 * the {@link #report()}.
	 * @param receiver gets the times of requests that end from now on
	 * @since 0.1.0
	 */
	public synchronized void addReceiver(RequestTimes receiver) {
		RequestTimes[] more = Arrays.copyOf(this.receivers, this.receivers.length + 1);
		more[more.length - 1] = receiver;
		this.receivers = more;
	}

	/**
	 * Returns counts since the start and the present state.
	 * @return a snapshot
	 */
	public RequestServerReport report() {
		PermitQueue.Snapshot snapshot = this.queue.snapshot();
		Quantiles responseTimes = Quantiles.of(this.responses);
		return new RequestServerReport(this.settings.name(), this.queue.limit(), running(), waiting(),
				this.settings.queueCapacity(), snapshot.overloaded(), snapshot.overloads(),
				this.queue.serviceNanos() / 1e3, responseTimes.count(), this.failed.sum(), snapshot.refused(),
				Quantiles.of(this.postDelays), Quantiles.of(this.waits), responseTimes, snapshot.bulkheads());
	}

}
