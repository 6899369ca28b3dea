package io.github.vicinal.stream;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Attempts at the messages of a consumer from its start to its stop. When the consumer
 * stops, an attempt that runs is the last one of its message, and a pause between two
 * attempts ends. Thread-safe.
 */
final class ConsumerRetries {

	private final CountDownLatch stopping = new CountDownLatch(1);

	private final RetryTemplate template;

	/**
	 * Creates the attempts of a consumer that starts.
	 * @param configured how messages are attempted again, which other consumers may share
	 */
	ConsumerRetries(RetryTemplate configured) {
		this.template = new RetryTemplate(new Policy(configured.getRetryPolicy()));
		this.template.setRetryListener(configured.getRetryListener());
	}

	/**
	 * Attempts something until it succeeds.
	 * @param attempt what is attempted
	 * @throws RetryException after the last attempt
	 */
	void execute(Retryable<Boolean> attempt) throws RetryException {
		this.template.execute(attempt);
	}

	/** Ends pauses between attempts, and has no attempt follow. */
	void stop() {
		this.stopping.countDown();
	}

	boolean isStopping() {
		return this.stopping.getCount() == 0;
	}

	/** Does what the configured policy says until the consumer stops. */
	private final class Policy implements RetryPolicy {

		private final RetryPolicy configured;

		Policy(RetryPolicy configured) {
			this.configured = configured;
		}

		@Override
		public boolean shouldRetry(Throwable failure) {
			return !isStopping() && this.configured.shouldRetry(failure);
		}

		@Override
		public Duration getTimeout() {
			return this.configured.getTimeout();
		}

		@Override
		public BackOff getBackOff() {
			return () -> {
				BackOffExecution pauses = this.configured.getBackOff().start();
				return () -> pause(pauses.nextBackOff());
			};
		}

		/** Pauses here, because the template would sleep through the stop. */
		private long pause(long millis) {
			try {
				boolean stopped = millis != BackOffExecution.STOP
						&& ConsumerRetries.this.stopping.await(millis, TimeUnit.MILLISECONDS);
				return (stopped || millis == BackOffExecution.STOP) ? BackOffExecution.STOP : 0;
			}
			catch (InterruptedException ex) {
				// The template notices the interrupt, and ends the attempts.
				Thread.currentThread().interrupt();
				return 0;
			}
		}

	}

}
