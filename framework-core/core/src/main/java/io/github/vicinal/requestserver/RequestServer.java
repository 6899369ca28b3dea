package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.requestserver.Refusal.Reason;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/**
 * Executes requests on threads of its own, in the order of priority and arrival, and
 * refuses at once what it could not serve in time. Thread-safe.
 * <p>
 * A burst is queued. When the queue stands instead, see {@link OverloadDetector}, a
 * request is accepted only if it is expected to wait for no longer than its patience, and
 * one that waited longer nevertheless is refused when it is taken. So the threads never
 * run dry, and what is accepted is answered in time.
 *
 * <pre class="code">
 * try (RequestServer server = new RequestServer(RequestServerSettings.of("orders", new Threads.Fixed(4)))) {
 *     CompletableFuture&lt;Order&gt; order = server.submit("shop", Priority.NORMAL, () -&gt; load(42));
 * }
 * </pre>
 *
 * Source: the multithreaded application server (queue, 1 to 10 threads, POST delay and
 * response time), which has no overload control; its queue grows without bound.
 *
 * @since 0.1
 */
public final class RequestServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RequestServer.class);

	/** What a thread may be late on an idle machine is no sign of overload. */
	private static final long LEAST_TARGET_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final Duration RETRY_AFTER_SHUTDOWN = Duration.ofSeconds(1);

	/** Each service time changes the mean by this part of the difference. */
	private static final int SERVICE_WEIGHT = 32;

	private final RequestServerSettings settings;

	private final LongSupplier clock;

	private final ThreadFactory factory;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition work = this.lock.newCondition();

	private final Condition done = this.lock.newCondition();

	private final Map<Priority, ArrayDeque<Request>> queues = new EnumMap<>(Priority.class);

	private final Map<String, Integer> channels = new HashMap<>();

	private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);

	private final Durations postDelays = new Durations();

	private final Durations responses = new Durations();

	private final OverloadDetector overload;

	private final ThreadCount threads;

	private int waiting;

	private int running;

	private int workers;

	private int idle;

	private long serviceNanos;

	private long completed;

	private long failed;

	private boolean closed;

	/**
	 * Creates a server. Its threads start with the requests that need them.
	 * @param settings what is configured
	 */
	public RequestServer(RequestServerSettings settings) {
		this(settings, System::nanoTime);
	}

	RequestServer(RequestServerSettings settings, LongSupplier clock) {
		this.settings = settings;
		this.clock = clock;
		long now = clock.getAsLong();
		this.overload = new OverloadDetector(settings.interval().toNanos());
		this.threads = new ThreadCount(settings.threads(), Runtime.getRuntime().availableProcessors(), now);
		this.factory = (settings.threads() instanceof Threads.Virtual) ? WorkerThreads.virtual(settings.name())
				: WorkerThreads.platform(settings.name());
		for (Priority priority : Priority.values()) {
			this.queues.put(priority, new ArrayDeque<>());
		}
	}

	/**
	 * Executes a piece of work.
	 * @param <T> the type of its result
	 * @param channel what it counts for
	 * @param priority how much it matters
	 * @param handler the work
	 * @return completes with the result, with what the handler threw, or with a
	 * {@link RefusedRequestException}
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
			protected void refused(Refusal refusal) {
				result.completeExceptionally(new RefusedRequestException(refusal));
			}

		});
		return result;
	}

	/**
	 * Executes a request on a thread of the server, or refuses it.
	 * @param request the request
	 */
	public void execute(Request request) {
		Refusal refusal;
		boolean starts = false;
		long now;
		this.lock.lock();
		try {
			now = this.clock.getAsLong();
			this.threads.arrived(this.serviceNanos, now);
			refusal = refusal(request);
			if (refusal == null) {
				request.acceptedNanos = now;
				queue(request).addLast(request);
				this.waiting++;
				enter(request);
				this.work.signal();
				// One that was signalled for an earlier request counts as idle still.
				if (this.waiting > this.idle && this.workers < this.threads.count()) {
					this.workers++;
					starts = true;
				}
			}
			else {
				this.refusals.merge(refusal.reason(), 1L, Long::sum);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (refusal != null) {
			refuse(request, refusal);
			return;
		}
		this.postDelays.record(now - request.arrivedNanos);
		if (starts) {
			start();
		}
	}

	private ArrayDeque<Request> queue(Request request) {
		ArrayDeque<Request> queue = this.queues.get(request.priority());
		if (queue == null) {
			throw new IllegalStateException(request.priority().name());
		}
		return queue;
	}

	private void start() {
		try {
			this.factory.newThread(this::work).start();
		}
		catch (OutOfMemoryError ex) {
			logger.warn("Request server '{}': no further thread can be started, {} go on", this.settings.name(),
					this.workers - 1, ex);
			boolean last;
			this.lock.lock();
			try {
				this.workers--;
				last = this.workers == 0;
			}
			finally {
				this.lock.unlock();
			}
			if (last) {
				refuseWaiting(
						new Refusal(Reason.OVERLOAD, describe("has no thread and cannot start one"), retryAfter()));
			}
		}
	}

	private @Nullable Refusal refusal(Request request) {
		if (this.closed) {
			return new Refusal(Reason.SHUTTING_DOWN, describe("is shutting down"), RETRY_AFTER_SHUTDOWN);
		}
		int most = this.settings.maxPerChannel();
		if (most > 0 && this.channels.getOrDefault(request.channel(), 0) >= most) {
			return new Refusal(Reason.BULKHEAD, describe(
					"has %d requests of channel '%s' already, which is its most".formatted(most, request.channel())),
					retryAfter());
		}
		if (this.waiting >= this.settings.queueCapacity()) {
			return new Refusal(Reason.QUEUE_FULL, describe("has a full queue of %d requests".formatted(this.waiting)),
					retryAfter());
		}
		if (this.overload.overloaded()) {
			long expected = expectedWaitNanos(ahead(request.priority()));
			if (expected > patienceNanos(request.priority())) {
				return tooLong("would let it wait for", expected, request.priority());
			}
		}
		return null;
	}

	private Refusal tooLong(String what, long nanos, Priority priority) {
		return new Refusal(Reason.OVERLOAD, describe("is overloaded and %s %.1f ms, more than %.1f".formatted(what,
				nanos / 1e6, patienceNanos(priority) / 1e6)), retryAfter());
	}

	private String describe(String what) {
		return "The request server '%s' %s".formatted(this.settings.name(), what);
	}

	/** Returns how many requests are taken before a new one. */
	private int ahead(Priority priority) {
		int ahead = 0;
		for (Map.Entry<Priority, ArrayDeque<Request>> queue : this.queues.entrySet()) {
			if (queue.getKey().compareTo(priority) <= 0) {
				ahead += queue.getValue().size();
			}
		}
		return ahead;
	}

	private long expectedWaitNanos(int ahead) {
		return ahead * this.serviceNanos / this.threads.count();
	}

	private long targetNanos() {
		return Math.max(LEAST_TARGET_NANOS, this.serviceNanos);
	}

	private long patienceNanos(Priority priority) {
		return (long) (this.settings.patience() * priority.patience() * targetNanos());
	}

	private Duration retryAfter() {
		return Duration.ofNanos(Math.max(targetNanos(), expectedWaitNanos(this.waiting)));
	}

	private void enter(Request request) {
		if (this.settings.maxPerChannel() > 0) {
			this.channels.merge(request.channel(), 1, Integer::sum);
		}
	}

	private void leave(Request request) {
		if (this.settings.maxPerChannel() > 0) {
			this.channels.computeIfPresent(request.channel(), (name, count) -> (count > 1) ? count - 1 : null);
		}
		if (this.waiting == 0 && this.running == 0) {
			this.done.signalAll();
		}
	}

	private void work() {
		for (Request request = take(); request != null; request = take()) {
			run(request);
		}
	}

	private void run(Request request) {
		long start = this.clock.getAsLong();
		boolean sampled = (start & (ThreadCount.CPU_SAMPLE - 1)) == 0;
		long cpu = sampled ? ThreadCount.cpuNanos() : -1;
		boolean threw = false;
		try {
			request.run();
		}
		catch (Throwable ex) {
			threw = true;
			logger.warn("Request server '{}': a request of channel '{}' failed", this.settings.name(),
					request.channel(), ex);
		}
		Thread.interrupted();
		long cpuNanos = (cpu >= 0) ? ThreadCount.cpuNanos() - cpu : -1;
		long end = this.clock.getAsLong();
		this.responses.record(end - request.arrivedNanos);
		this.lock.lock();
		try {
			this.running--;
			this.completed++;
			this.failed += threw ? 1 : 0;
			long nanos = Math.max(0, end - start);
			this.serviceNanos += (this.completed < SERVICE_WEIGHT) ? (nanos - this.serviceNanos) / this.completed
					: (nanos - this.serviceNanos) / SERVICE_WEIGHT;
			if (cpuNanos >= 0) {
				this.threads.cpu(cpuNanos, nanos);
			}
			leave(request);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Returns the next request, or {@code null} if the calling worker is to end. */
	private @Nullable Request take() {
		while (true) {
			Request request;
			Refusal refusal = null;
			this.lock.lock();
			try {
				request = awaitRequest();
				if (request == null) {
					this.workers--;
					return null;
				}
				this.waiting--;
				long now = this.clock.getAsLong();
				long sojourn = now - request.acceptedNanos;
				this.overload.taken(sojourn, targetNanos(), now);
				if (!this.overload.overloaded() || sojourn <= patienceNanos(request.priority())) {
					this.running++;
					return request;
				}
				refusal = tooLong("let it wait for", sojourn, request.priority());
				this.refusals.merge(Reason.OVERLOAD, 1L, Long::sum);
				leave(request);
			}
			finally {
				this.lock.unlock();
			}
			refuse(request, refusal);
		}
	}

	private @Nullable Request awaitRequest() {
		long patience = (this.settings.threads() instanceof Threads.Virtual) ? 0 : KEEP_ALIVE_NANOS;
		while (true) {
			if (this.workers > this.threads.count()) {
				// It may have been woken for a request, which another is to take.
				this.work.signal();
				return null;
			}
			if (this.waiting > 0) {
				return poll();
			}
			this.overload.empty();
			if (this.closed || patience <= 0) {
				return null;
			}
			this.idle++;
			try {
				patience = this.work.awaitNanos(patience);
			}
			catch (InterruptedException ex) {
				// Nobody has a reason to interrupt a worker that waits.
				patience = KEEP_ALIVE_NANOS;
			}
			finally {
				this.idle--;
			}
		}
	}

	private Request poll() {
		for (ArrayDeque<Request> queue : this.queues.values()) {
			Request request = queue.pollFirst();
			if (request != null) {
				return request;
			}
		}
		throw new IllegalStateException("%d requests wait, but none is queued".formatted(this.waiting));
	}

	private void refuse(Request request, Refusal refusal) {
		try {
			request.refused(refusal);
		}
		catch (RuntimeException ex) {
			logger.warn("Request server '{}': a request of channel '{}' could not be told that it is refused",
					this.settings.name(), request.channel(), ex);
		}
	}

	private void refuseWaiting(Refusal refusal) {
		for (Request request = pollWaiting(refusal); request != null; request = pollWaiting(refusal)) {
			refuse(request, refusal);
		}
	}

	private @Nullable Request pollWaiting(Refusal refusal) {
		this.lock.lock();
		try {
			if (this.waiting == 0) {
				return null;
			}
			Request request = poll();
			this.waiting--;
			this.refusals.merge(refusal.reason(), 1L, Long::sum);
			leave(request);
			return request;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Accepts nothing more, and lets what was accepted end.
	 * @param timeout how long to wait for that; what still waits then is refused, what
	 * runs goes on
	 * @return whether all that was accepted has ended
	 * @throws InterruptedException if the calling thread is interrupted; nothing more is
	 * accepted nevertheless
	 */
	public boolean drain(Duration timeout) throws InterruptedException {
		boolean drained;
		this.lock.lock();
		try {
			this.closed = true;
			this.work.signalAll();
			long left = timeout.toNanos();
			while ((this.waiting > 0 || this.running > 0) && left > 0) {
				left = this.done.awaitNanos(left);
			}
			drained = this.waiting == 0 && this.running == 0;
		}
		finally {
			this.lock.unlock();
		}
		refuseWaiting(new Refusal(Reason.SHUTTING_DOWN, describe("is shutting down"), RETRY_AFTER_SHUTDOWN));
		return drained;
	}

	/** Accepts nothing more and refuses what waits. What runs goes on. */
	@Override
	public void close() {
		try {
			drain(Duration.ZERO);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Says what the server did and does.
	 * @return a snapshot
	 */
	public RequestServerReport report() {
		this.lock.lock();
		try {
			return new RequestServerReport(this.settings.name(), this.threads.count(), this.running, this.waiting,
					this.settings.queueCapacity(), this.overload.overloaded(), this.overload.episodes(),
					this.serviceNanos / 1e3, this.completed, this.failed, new TreeMap<>(this.refusals),
					this.postDelays.quantiles(), this.responses.quantiles(), new TreeMap<>(this.channels));
		}
		finally {
			this.lock.unlock();
		}
	}

}
