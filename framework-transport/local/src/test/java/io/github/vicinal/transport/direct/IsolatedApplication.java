package io.github.vicinal.transport.direct;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;

/**
 * Both sides of a call, for use in a class loader of their own. Its users share only
 * types of the JDK with it.
 */
public final class IsolatedApplication implements AutoCloseable, BiFunction<String, Long, String> {

	private final Contract contract = Contracts.of(EchoContract.class);

	private final PeerIdentity identity;

	private final DirectPathServer server;

	private final DirectPathProvider provider = new DirectPathProvider(Contracts.codecs());

	private CallPath path;

	/** Observations of the handler, oldest first. */
	private final List<String> seen = new ArrayList<>();

	public IsolatedApplication(String instanceId) {
		this.identity = new PeerIdentity(instanceId, PeerIdentity.NO_HOST);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(this.contract, this::handle));
		this.server = new DirectPathServer(this.identity, services, null, Duration.ofSeconds(5));
		this.server.start();
	}

	private Reply handle(CallFrame frame) {
		Object first = (frame.arguments().length > 0) ? frame.arguments()[0] : null;
		if (first instanceof EchoContract.Item item) {
			note(item.getClass().getClassLoader() == getClass().getClassLoader() ? "own class" : "foreign class");
			return Contracts.value(item);
		}
		note(Thread.currentThread().getContextClassLoader() == getClass().getClassLoader() ? "own context"
				: "foreign context");
		return switch (String.valueOf(first)) {
			case "fail" -> new Reply.Failure(418, Map.of("a", List.of("b")), new byte[] { 1 }, "x.Y");
			case "throw" -> throw new IllegalStateException("a bug");
			case "http" -> throw new HttpRequiredException("only HTTP has it");
			case "hang" -> hang();
			default -> Contracts.value(first);
		};
	}

	private static Reply hang() {
		try {
			new CountDownLatch(1).await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return Contracts.value(null);
	}

	private synchronized void note(String what) {
		this.seen.add(what);
	}

	public synchronized String seen() {
		return String.join(",", this.seen);
	}

	/** Connects to another application; returns the reason if there is no path. */
	public String connect(String instanceId) {
		PathProvider.Attempt attempt = this.provider.connect(this.contract,
				Contracts.announce(new PeerIdentity(instanceId, PeerIdentity.NO_HOST), this.contract));
		if (attempt instanceof PathProvider.Connected connected) {
			this.path = connected.path();
			return "connected: " + this.path.kind().id() + ": " + this.path.codec().reason();
		}
		return ((PathProvider.Unavailable) attempt).reason();
	}

	/**
	 * Calls {@code join}, within so many milliseconds if they are not 0; {@code item}
	 * calls {@code item}, and a number of bytes calls {@code bytes}.
	 */
	@Override
	public String apply(String text, Long millis) {
		long deadline = (millis == 0) ? CallFrame.NO_DEADLINE
				: System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		try {
			return switch (text) {
				case "item" -> item(deadline);
				case "bytes" -> bytes(millis.intValue());
				default -> describe(this.path.call(Contracts.callBefore(this.contract, "join", deadline, text, 7)));
			};
		}
		catch (PathException ex) {
			return ex.reason() + " " + ex.maybeExecuted() + " " + ex.getMessage();
		}
	}

	private String item(long deadline) throws PathException {
		EchoContract.Item item = new EchoContract.Item();
		item.name = "split";
		item.numbers = new int[] { 1, 2 };
		Reply reply = this.path.call(Contracts.callBefore(this.contract, "item", deadline, item, "x"));
		EchoContract.Item back = (EchoContract.Item) ((Reply.Value) reply).body();
		return back.name + back.numbers[1] + (back != item);
	}

	private String bytes(int length) throws PathException {
		byte[] sent = Contracts.pattern(length, 3);
		Reply reply = this.path.call(Contracts.call(this.contract, "bytes", (Object) sent));
		return String.valueOf(java.util.Arrays.equals(sent, (byte[]) ((Reply.Value) reply).body()));
	}

	private static String describe(Reply reply) {
		return (reply instanceof Reply.Failure failure)
				? failure.status() + " " + failure.headers() + " " + failure.body().length + " " + failure.remoteType()
				: String.valueOf(((Reply.Value) reply).body());
	}

	public boolean open() {
		return this.path.isOpen();
	}

	public long carried() {
		return this.path.bytesCarried();
	}

	@Override
	public void close() {
		this.server.close();
		this.provider.close();
	}

}
