package io.github.vicinal.transport.testing;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Work on other threads. */
public final class Async {

	private Async() {
	}

	/** Runs a task on a thread of its own: the common pool may have only one. */
	public static <T> CompletableFuture<T> call(Callable<T> task) {
		CompletableFuture<T> future = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				future.complete(task.call());
			}
			catch (Throwable ex) {
				future.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return future;
	}

	/**
	 * Returns whether a thread is in all of these methods, each as {@code Type.method}.
	 */
	public static boolean isSomebodyIn(String... methods) {
		return Thread.getAllStackTraces()
			.values()
			.stream()
			.anyMatch((stack) -> Arrays.stream(methods).allMatch((method) -> isIn(stack, method)));
	}

	private static boolean isIn(StackTraceElement[] stack, String method) {
		return Arrays.stream(stack)
			.anyMatch((frame) -> (frame.getClassName() + "." + frame.getMethodName()).endsWith(method));
	}

	/** Waits for a state that nobody announces; a test's timeout ends it. */
	public static void await(BooleanSupplier condition) throws InterruptedException {
		while (!condition.getAsBoolean()) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			Thread.yield();
		}
	}

}
