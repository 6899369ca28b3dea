package io.github.vicinal.benchmarks.overload;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import org.jspecify.annotations.Nullable;

/** Ways to limit the requests that run, each with its defaults. */
enum Control {

	/** Vicinal's request server. */
	VICINAL,

	/** Boot with Tomcat's threads. */
	PLAIN,

	/** Boot with virtual threads. */
	VIRTUAL,

	/** A bulkhead of Resilience4j: 25 at once. */
	RESILIENCE4J,

	/** Netflix's limiter by the gradient of response times. */
	GRADIENT2,

	/** Netflix's limiter by the estimated queue. */
	VEGAS;

	private static final String ON = "true";

	/**
	 * Lets a request in.
	 */
	interface Admission {

		/**
		 * Returns what to do when the request has ended, or nothing if it may not run.
		 */
		Optional<Runnable> enter();

	}

	Map<String, String> properties() {
		return switch (this) {
			case VICINAL -> Map.of();
			case VIRTUAL -> Map.of("vicinal.enabled", "false", "spring.threads.virtual.enabled", ON);
			default -> Map.of("vicinal.enabled", "false");
		};
	}

	/** Returns the control that lets requests in, or {@code null} if all may run. */
	@Nullable Admission admission() {
		return switch (this) {
			case VICINAL, PLAIN, VIRTUAL -> null;
			case RESILIENCE4J -> {
				Bulkhead bulkhead = Bulkhead.ofDefaults("bench");
				yield () -> bulkhead.tryAcquirePermission() ? Optional.of(bulkhead::onComplete) : Optional.empty();
			}
			case GRADIENT2 -> netflix(Gradient2Limit::newDefault);
			case VEGAS -> netflix(VegasLimit::newDefault);
		};
	}

	private static Admission netflix(Supplier<Limit> limit) {
		Limiter<@Nullable Void> limiter = SimpleLimiter.newBuilder().limit(limit.get()).build();
		return () -> limiter.acquire(null).map((listener) -> listener::onSuccess);
	}

	String label() {
		return name().toLowerCase(Locale.ROOT);
	}

}
