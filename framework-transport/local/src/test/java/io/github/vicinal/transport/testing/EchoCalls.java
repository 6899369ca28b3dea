package io.github.vicinal.transport.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import org.junit.jupiter.api.AfterEach;

/** A contract, handlers that wait, and calls, for tests of paths that calls share. */
public abstract class EchoCalls {

	public static final Codecs CODECS = Contracts.codecs();

	public static final String HOST = "0123456789abcdef0123456789abcdef";

	private static final int PATIENCE_SECONDS = 60;

	public interface Echo {

		byte[] bytes(byte[] body);

		String slow(String text);

	}

	protected final Contract contract = Contracts.of(Echo.class);

	/** Objects that a test has made, the last one first. */
	protected final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	protected final PeerIdentity peer = PeerIdentity.create(HOST);

	/** Reached when a slow handler runs. */
	protected final CountDownLatch arrived = new CountDownLatch(1);

	/** Lets slow handlers end. */
	protected final CountDownLatch released = new CountDownLatch(1);

	@AfterEach
	protected void close() throws Exception {
		this.released.countDown();
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
	}

	protected Reply echo(CallFrame call) {
		return echo(call, this.arrived, this.released);
	}

	/** Answers a call with its argument, a slow one once it is released. */
	public static Reply echo(CallFrame call, CountDownLatch arrived, CountDownLatch released) {
		if (call.method().method().getName().equals("slow")) {
			arrived.countDown();
			try {
				released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		return new Reply.Value(200, Map.of(), call.arguments()[0]);
	}

	protected Service service(Function<CallFrame, Reply> handler) {
		return Contracts.service(this.contract, handler);
	}

	protected CallFrame call(String method, Object argument, long deadlineNanos) {
		return Contracts.callBefore(this.contract, method, deadlineNanos, argument);
	}

	protected CallFrame bytes(byte[] body) {
		return call("bytes", body, CallFrame.NO_DEADLINE);
	}

	protected CallFrame slow(long deadlineNanos) {
		return call("slow", "x", deadlineNanos);
	}

	public static CompletableFuture<Reply> later(CallPath path, CallFrame frame) {
		return path.callLater(frame, (task) -> {
			throw new AssertionError("no thread is needed");
		}).toCompletableFuture();
	}

	public static Object value(Reply reply) {
		return Objects.requireNonNull(((Reply.Value) reply).body());
	}

	public static PathException failure(CompletableFuture<Reply> later) throws Exception {
		try {
			throw new AssertionError(later.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
		}
		catch (ExecutionException ex) {
			return (PathException) ex.getCause();
		}
	}

}
