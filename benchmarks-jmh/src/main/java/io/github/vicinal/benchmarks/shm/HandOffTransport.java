package io.github.vicinal.benchmarks.shm;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Without another process: a thread pool of this JVM copies the bytes. Shows the cost of
 * a call that leaves its thread, but not the process.
 */
final class HandOffTransport implements Transport {

	@Override
	public AutoCloseable serve(Path directory) {
		return () -> {
		};
	}

	@Override
	public Client connect(Path directory) {
		ExecutorService executor = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), (task) -> {
			Thread thread = new Thread(task, "hand-off");
			thread.setDaemon(true);
			return thread;
		});
		return new Client() {

			@Override
			public Caller caller(int number) {
				return (body) -> executor.submit(() -> {
					Work.run(body);
					return body.clone();
				}).get().length;
			}

			@Override
			public void close() {
				executor.shutdown();
			}

		};
	}

}
