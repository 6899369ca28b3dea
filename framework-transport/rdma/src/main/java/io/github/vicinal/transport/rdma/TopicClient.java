package io.github.vicinal.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.PublisherAddress;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/** The subscriber's end of a connection that carries a topic. */
final class TopicClient implements RdmaConnection.Listener {

	private final RdmaConnection connection;

	private final TopicSession session;

	private TopicClient(QueuePair queuePair, RdmaOptions options, TopicTls tls, PublisherAddress publisher)
			throws IOException {
		this.connection = new RdmaConnection(queuePair, options, false, TopicSession.FIRST_FRAME_BYTES, this);
		this.session = new TopicSession(this.connection, options, publisher.address(),
				tls.connecting(publisher.host(), publisher.address().getPort()), (secured) -> {
					// The thread that connects waits for it.
				});
	}

	/**
	 * Connects, and lets both sides prove who they are. Blocks for the handshake timeout
	 * at most.
	 * @param verbs the device
	 * @param options limits
	 * @param tls keys
	 * @param publisher where to connect to, and who must be there
	 */
	static TopicSession open(Verbs verbs, RdmaOptions options, TopicTls tls, PublisherAddress publisher)
			throws IOException {
		tls.requireUsable();
		long deadline = System.nanoTime() + options.handshakeTimeout().toNanos();
		InetSocketAddress address = publisher.address();
		String name = "the publisher at %s:%d".formatted(address.getAddress().getHostAddress(), address.getPort());
		TopicClient client;
		try {
			QueuePair queuePair = verbs.connect(address, RdmaConnection.resources(options), options.handshakeTimeout());
			client = new TopicClient(queuePair, options, tls, publisher);
		}
		catch (VerbsException ex) {
			throw new IOException("cannot connect to %s: %s".formatted(name, ex.text()), ex);
		}
		client.connection.start("vicinal-rdma-topic");
		boolean done = false;
		try {
			await(client.connection.ready(), deadline);
			await(client.session.begin(), deadline);
			done = true;
			return client.session;
		}
		catch (ExecutionException ex) {
			String why = String.valueOf((ex.getCause() != null) ? ex.getCause().getMessage() : ex);
			throw new IOException("cannot connect to %s: %s".formatted(name, why), ex);
		}
		catch (TimeoutException ex) {
			throw new IOException("%s did not complete the handshake within vicinal.rdma.handshake-timeout, %d ms"
				.formatted(name, options.handshakeTimeout().toMillis()), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
		finally {
			if (!done) {
				client.connection.stop("was left");
			}
		}
	}

	private static void await(CompletableFuture<Void> stage, long deadline)
			throws ExecutionException, TimeoutException, InterruptedException {
		stage.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
	}

	@Override
	public boolean reads(long assemblingBytes) {
		return this.session.reads();
	}

	@Override
	public void received(ReceivedFrame frame) throws WireException {
		switch (frame.header().type) {
			case TOPIC -> this.session.received(frame);
			case REFUSED -> leave("refused: " + WireException.printable(frame.payload().readString()));
			case GOODBYE -> {
				// A server that shuts down still sends what was published.
				if (frame.header().code != Refusal.SHUTTING_DOWN.number()) {
					leave("closed the connection");
				}
			}
			default -> throw new WireException(Refusal.MALFORMED,
					"a frame of type %s has no place here".formatted(frame.header().type));
		}
	}

	private void leave(String why) {
		this.session.end(why);
		this.connection.stop(why);
	}

	@Override
	public void ended(String why, @Nullable WireException refused) {
		this.session.gone((refused != null) ? "sent what it must not: " + why : why);
	}

}
