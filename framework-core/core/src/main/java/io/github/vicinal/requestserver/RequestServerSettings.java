package io.github.vicinal.requestserver;

import java.time.Duration;

/**
 * Configuration of a {@link RequestServer}.
 *
 * @param name the name in metrics, reports and of threads
 * @param threads number of requests that run at once, and which threads run requests that
 * have none of their own
 * @param queueCapacity the most requests that wait, 1 to {@value #MAX_QUEUE_CAPACITY}
 * @param interval for how long the queue must stand until there is overload, or for as
 * long as 32 requests take, if that is longer
 * @param patience how many mean service times a request of normal priority may wait under
 * overload, a quarter more at most
 * @param maxPerChannel the most requests of one channel, waiting and running, 0 for no
 * limit of its own
 * @param burst the most requests that wait beyond the queue's capacity, as long as they
 * are expected to wait for no longer than the interval; 0 for none
 * @param maxPaused the most requests that wait for slow clients at once while others have
 * their permits. Each keeps the thread that brought it. Further ones keep their permits.
 * @since 0.1.0
 */
public record RequestServerSettings(String name, Threads threads, int queueCapacity, Duration interval, double patience,
		int maxPerChannel, int burst, int maxPaused) {

	/** The longest queue that can be configured. */
	public static final int MAX_QUEUE_CAPACITY = 1_000_000;

	/** Minimum size of a waiting request, beside its own content. */
	private static final int BYTES_PER_REQUEST = 64;

	private static final int DEFAULT_QUEUE_CAPACITY = 1_000;

	private static final Duration DEFAULT_INTERVAL = Duration.ofMillis(100);

	/** A timer keeps no shorter one, and a burst takes as long. */
	private static final Duration LEAST_INTERVAL = Duration.ofMillis(1);

	private static final Duration MAX_INTERVAL = Duration.ofMinutes(1);

	private static final double DEFAULT_PATIENCE = 1.5;

	private static final double MAX_PATIENCE = 1_000;

	/**
	 * Slow clients for each permit, and how many at least, that get others the permit.
	 */
	private static final int SLOW_PER_PERMIT = 4;

	private static final int LEAST_SLOW = 200;

	public RequestServerSettings {
		require(!name.isBlank(), "name", "'" + name + "'", "must not be empty", "name the server");
		require(queueCapacity >= 1 && queueCapacity <= MAX_QUEUE_CAPACITY, "queue-capacity", queueCapacity,
				"must be from 1 to " + MAX_QUEUE_CAPACITY, "leave it out for " + DEFAULT_QUEUE_CAPACITY);
		require(burst >= 0 && burst <= MAX_QUEUE_CAPACITY - queueCapacity, "burst", burst,
				"must be from 0 to %d less the queue's capacity".formatted(MAX_QUEUE_CAPACITY), "use 0 for none");
		long heap = Runtime.getRuntime().maxMemory();
		require((long) (queueCapacity + burst) * BYTES_PER_REQUEST <= heap / 4, "queue-capacity", queueCapacity + burst,
				"must not take more than a quarter of the heap of %d MiB, at %d bytes for each request"
					.formatted(heap >> 20, BYTES_PER_REQUEST),
				"lower it or enlarge the heap");
		require(interval.compareTo(LEAST_INTERVAL) >= 0 && interval.compareTo(MAX_INTERVAL) <= 0, "interval", interval,
				"must be from a millisecond to a minute", "leave it out for " + DEFAULT_INTERVAL.toMillis() + " ms");
		require(patience > 0 && patience <= MAX_PATIENCE, "patience", patience,
				"must be above 0 and at most " + MAX_PATIENCE, "leave it out for " + DEFAULT_PATIENCE);
		require(maxPaused >= 0, "max-paused", maxPaused, "must not be negative",
				"use 0, and slow clients keep their permits");
		require(maxPerChannel >= 0, "max-per-channel", maxPerChannel, "must not be negative", "use 0 for no limit");
	}

	/**
	 * Returns the settings that suit most applications. Four requests for each that may
	 * run, but at least 200, may wait for slow clients without their permits.
	 * @param name the name in metrics, reports and of threads
	 * @param threads the threads that execute requests
	 * @return the settings
	 */
	public static RequestServerSettings of(String name, Threads threads) {
		return new RequestServerSettings(name, threads, DEFAULT_QUEUE_CAPACITY, DEFAULT_INTERVAL, DEFAULT_PATIENCE, 0,
				0, Math.max(LEAST_SLOW, SLOW_PER_PERMIT * threads.most()));
	}

	/**
	 * Returns these settings with another queue.
	 * @param capacity the most requests that wait
	 * @return the settings
	 */
	public RequestServerSettings withQueueCapacity(int capacity) {
		return new RequestServerSettings(this.name, this.threads, capacity, this.interval, this.patience,
				this.maxPerChannel, this.burst, this.maxPaused);
	}

	/**
	 * Returns these settings with bulkheads.
	 * @param most the most requests of one channel, waiting and running
	 * @return the settings
	 */
	public RequestServerSettings withMaxPerChannel(int most) {
		return new RequestServerSettings(this.name, this.threads, this.queueCapacity, this.interval, this.patience,
				most, this.burst, this.maxPaused);
	}

	/**
	 * Returns these settings with another interval.
	 * @param standing for how long the queue must stand until there is overload
	 * @return the settings
	 */
	public RequestServerSettings withInterval(Duration standing) {
		return new RequestServerSettings(this.name, this.threads, this.queueCapacity, standing, this.patience,
				this.maxPerChannel, this.burst, this.maxPaused);
	}

	/**
	 * Returns these settings with another patience.
	 * @param serviceTimes how many mean service times a request may wait under overload
	 * @return the settings
	 */
	public RequestServerSettings withPatience(double serviceTimes) {
		return new RequestServerSettings(this.name, this.threads, this.queueCapacity, this.interval, serviceTimes,
				this.maxPerChannel, this.burst, this.maxPaused);
	}

	/**
	 * Returns these settings with room for bursts.
	 * @param more the most requests that wait beyond the queue's capacity
	 * @return the settings
	 */
	public RequestServerSettings withBurst(int more) {
		return new RequestServerSettings(this.name, this.threads, this.queueCapacity, this.interval, this.patience,
				this.maxPerChannel, more, this.maxPaused);
	}

	/**
	 * Returns these settings with another number of slow clients.
	 * @param most the most requests that wait for slow clients without their permits
	 * @return the settings
	 */
	public RequestServerSettings withMaxPaused(int most) {
		return new RequestServerSettings(this.name, this.threads, this.queueCapacity, this.interval, this.patience,
				this.maxPerChannel, this.burst, most);
	}

	private static void require(boolean holds, String what, Object value, String rule, String remedy) {
		if (!holds) {
			throw new InvalidSettingException(what, value, rule, remedy);
		}
	}

	/**
	 * Kind of threads that execute requests.
	 *
	 * @since 0.1.0
	 */
	public sealed interface Threads {

		/**
		 * Returns the fewest requests that may run at once.
		 * @return a number above 0
		 */
		int least();

		/**
		 * Returns the most requests that run at once.
		 * @return at least {@link #least()}
		 */
		int most();

		/**
		 * A fixed number of platform threads.
		 *
		 * @param count number of threads, 1 to 10,000
		 */
		record Fixed(int count) implements Threads {

			/** The most platform threads that can be configured. */
			public static final int MAX = 10_000;

			public Fixed {
				require(count >= 1 && count <= MAX, "threads", count, "must be from 1 to " + MAX,
						"leave it out, and the load decides (Threads.Auto)");
			}

			@Override
			public int least() {
				return this.count;
			}

			@Override
			public int most() {
				return this.count;
			}

		}

		/**
		 * A virtual thread for each request; platform threads before Java 21.
		 *
		 * @param most number of requests that run at once, 1 to 100,000
		 */
		record Virtual(int most) implements Threads {

			/** The most virtual threads that can be configured. */
			public static final int MAX = 100_000;

			public Virtual {
				require(most >= 1 && most <= MAX, "threads", most, "must be from 1 to " + MAX,
						"leave it out, or name a number in that range");
			}

			@Override
			public int least() {
				return this.most;
			}

		}

		/**
		 * A number that adapts: about twice the smallest number that reaches the maximum
		 * throughput, found by trying while requests wait. Until then, the maximum.
		 *
		 * @param least the fewest that run at once, at least 1
		 * @param most the most that run at once, at most {@value Virtual#MAX} on virtual
		 * threads and {@value Fixed#MAX} on others
		 * @param virtual whether each runs on a virtual thread
		 */
		record Auto(int least, int most, boolean virtual) implements Threads {

			public Auto {
				int max = virtual ? Virtual.MAX : Fixed.MAX;
				require(least >= 1 && most >= least && most <= max, "threads", least + " to " + most,
						"must be ascending and within 1 to " + max, "leave it out, or name numbers in that range");
			}

			/**
			 * Creates a range for platform threads.
			 * @param least the fewest that run at once
			 * @param most the most that run at once
			 */
			public Auto(int least, int most) {
				this(least, most, false);
			}

		}

	}

}
