package io.github.vicinal.samples.trainticket.bench;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends requests at planned times whether or not earlier ones have been answered, and
 * takes the latency from the planned time: a slow server cannot slow the load down and so
 * hide its own queue.
 *
 * @param perSecond requests per second
 */
record OpenLoop(double perSecond) implements Load {

	/** Failures are counted when they occur. */
	@Override
	@SuppressWarnings("FutureReturnValueIgnored")
	public LoadResult run(HttpClient client, HttpRequest request, Duration duration) throws InterruptedException {
		LoadResult result = new LoadResult();
		Phaser inFlight = new Phaser(1);
		double interval = 1e9 / this.perSecond;
		long start = System.nanoTime();
		for (long i = 0; i * interval < duration.toNanos(); i++) {
			long planned = start + (long) (i * interval);
			awaitTime(planned);
			inFlight.register();
			client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).whenComplete((response, failure) -> {
				if (failure != null) {
					result.bad(failure.toString());
				}
				else if (response.statusCode() != 200) {
					result.bad("status " + response.statusCode());
				}
				else {
					result.good(System.nanoTime() - planned);
				}
				inFlight.arriveAndDeregister();
			});
		}
		awaitAnswers(inFlight);
		return result;
	}

	@Override
	public boolean paced() {
		return true;
	}

	@Override
	public String describe() {
		return "open loop, %s requests/s at fixed times".formatted(this.perSecond);
	}

	private static void awaitTime(long planned) throws InterruptedException {
		for (long left = planned - System.nanoTime(); left > 0; left = planned - System.nanoTime()) {
			LockSupport.parkNanos(left);
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}
	}

	private static void awaitAnswers(Phaser inFlight) throws InterruptedException {
		int phase = inFlight.arriveAndDeregister();
		try {
			inFlight.awaitAdvanceInterruptibly(phase, 2 * SearchRequest.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			throw new BenchException("Requests are still not answered", "long after their time-out");
		}
	}

}
