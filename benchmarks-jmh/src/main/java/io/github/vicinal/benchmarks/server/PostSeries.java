package io.github.vicinal.benchmarks.server;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.benchmarks.SteadyState;
import io.github.vicinal.benchmarks.call.EchoProcess;
import org.HdrHistogram.AtomicHistogram;

/**
 * A series of POST requests over loopback, as fast as they go, to an application in a
 * process of its own whose handler does nothing.
 */
final class PostSeries implements AutoCloseable {

	private static final int SENDERS = 4;

	/** Number of posts in a window of the warm-up. */
	private static final int WINDOW = 5_000;

	private static final byte[] BODY = "{\"id\":1,\"author\":\"Ann Example\",\"text\":\"posted\"}"
		.getBytes(StandardCharsets.UTF_8);

	private final EchoProcess server;

	private final URL url;

	/**
	 * Result of a series.
	 *
	 * @param postsPerSecond rate of the posts
	 * @param p50Millis median time from sending to the answer
	 * @param p99Millis 99 % quantile of it
	 */
	record Result(double postsPerSecond, double p50Millis, double p99Millis) {
	}

	PostSeries() throws Exception {
		this.server = EchoProcess.start();
		boolean warm = false;
		try {
			this.url = URI.create("http://127.0.0.1:" + this.server.port() + "/echo/note").toURL();
			SteadyState.await(() -> 1 / measure(WINDOW).postsPerSecond());
			warm = true;
		}
		finally {
			if (!warm) {
				close();
			}
		}
	}

	Result measure(int posts) throws IOException, InterruptedException {
		AtomicHistogram times = new AtomicHistogram(TimeUnit.MINUTES.toNanos(1), 3);
		AtomicInteger left = new AtomicInteger(posts);
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		List<Thread> senders = new ArrayList<>();
		long start = System.nanoTime();
		for (int i = 0; i < SENDERS; i++) {
			Thread sender = new Thread(() -> {
				try {
					while (left.getAndDecrement() > 0) {
						long sent = System.nanoTime();
						post();
						times.recordValue(System.nanoTime() - sent);
					}
				}
				catch (IOException | RuntimeException | Error ex) {
					failures.add(ex);
				}
			}, "sender-" + i);
			senders.add(sender);
			sender.start();
		}
		for (Thread sender : senders) {
			sender.join();
		}
		if (!failures.isEmpty()) {
			throw new IOException("A POST request failed: " + failures.get(0), failures.get(0));
		}
		return new Result(posts * 1e9 / (System.nanoTime() - start), times.getValueAtPercentile(50) / 1e6,
				times.getValueAtPercentile(99) / 1e6);
	}

	private void post() throws IOException {
		HttpURLConnection connection = (HttpURLConnection) this.url.openConnection();
		connection.setRequestMethod("POST");
		connection.setDoOutput(true);
		connection.setRequestProperty("Content-Type", "application/json");
		connection.setFixedLengthStreamingMode(BODY.length);
		connection.getOutputStream().write(BODY);
		connection.getInputStream().readAllBytes();
	}

	@Override
	public void close() {
		this.server.close();
	}

}
