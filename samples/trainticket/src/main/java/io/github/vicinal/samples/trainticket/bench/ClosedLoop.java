package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Callers that each send the next request when the last one has been answered.
 *
 * @param callers number of callers
 */
record ClosedLoop(int callers) implements Load {

	@Override
	public LoadResult run(HttpClient client, HttpRequest request, Duration duration) throws InterruptedException {
		LoadResult result = new LoadResult();
		long end = System.nanoTime() + duration.toNanos();
		List<Thread> threads = IntStream.range(0, this.callers)
			.mapToObj((i) -> new Thread(() -> call(client, request, end, result), "caller-" + i))
			.toList();
		threads.forEach(Thread::start);
		try {
			for (Thread thread : threads) {
				thread.join();
			}
		}
		finally {
			threads.forEach(Thread::interrupt);
		}
		return result;
	}

	@Override
	public boolean paced() {
		return false;
	}

	@Override
	public String describe() {
		return "closed loop, %d callers".formatted(this.callers);
	}

	private static void call(HttpClient client, HttpRequest request, long end, LoadResult result) {
		while (System.nanoTime() < end) {
			long start = System.nanoTime();
			try {
				int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
				if (status == 200) {
					result.good(System.nanoTime() - start);
				}
				else {
					result.bad("status " + status);
				}
			}
			catch (IOException ex) {
				result.bad(ex.toString());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

}
