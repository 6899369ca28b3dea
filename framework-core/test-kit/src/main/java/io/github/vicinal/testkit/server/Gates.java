package io.github.vicinal.testkit.server;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.beans.factory.DisposableBean;

/**
 * Named gates at which handlers wait until the test opens them, and at which the test
 * waits for handlers.
 */
class Gates implements DisposableBean {

	private static final long SECONDS = 30;

	private final Map<String, Gate> gates = new ConcurrentHashMap<>();

	Gate at(String name) {
		return this.gates.computeIfAbsent(name, (key) -> new Gate());
	}

	@Override
	public void destroy() {
		this.gates.values()
			.forEach((gate) -> gate.open.completeExceptionally(new IllegalStateException("the server is stopping")));
	}

	static class Gate {

		private final AtomicInteger arrivals = new AtomicInteger();

		private final CompletableFuture<Boolean> arrived = new CompletableFuture<>();

		private final CompletableFuture<String> open = new CompletableFuture<>();

		private final CompletableFuture<String> departed = new CompletableFuture<>();

		void arrive() {
			this.arrivals.incrementAndGet();
			this.arrived.complete(true);
		}

		void depart(String how) {
			this.departed.complete(how);
		}

		String pass() {
			arrive();
			try {
				String result = this.open.get(SECONDS, TimeUnit.SECONDS);
				depart("completed");
				return result;
			}
			catch (InterruptedException ex) {
				depart("interrupted");
				throw new IllegalStateException("interrupted at the gate", ex);
			}
			catch (ExecutionException | TimeoutException ex) {
				depart("failed");
				throw new IllegalStateException("nobody opened the gate", ex);
			}
		}

		CompletableFuture<String> passLater() {
			arrive();
			return this.open.thenApply((result) -> {
				depart("completed");
				return result;
			});
		}

		void open() {
			this.open.complete("passed");
		}

		boolean awaitArrival() {
			return await(this.arrived, false);
		}

		String awaitDeparture() {
			return await(this.departed, "still inside");
		}

		int arrivals() {
			return this.arrivals.get();
		}

		private static <T> T await(CompletableFuture<T> future, T otherwise) {
			try {
				return future.get(SECONDS / 2, TimeUnit.SECONDS);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				return otherwise;
			}
		}

	}

}
