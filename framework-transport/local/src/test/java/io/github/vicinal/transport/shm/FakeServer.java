package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;

import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;

/**
 * A server that shakes hands, changes what it says as a test wants, never answers a call,
 * and keeps the file of the last segment open.
 */
final class FakeServer implements AutoCloseable {

	private static final int LANES = 4;

	private final Path directory;

	private final String instanceId;

	private final Path bells;

	private final ServerSocketChannel listener;

	/** Has counted down when the first client has connected. */
	final CountDownLatch connected = new CountDownLatch(1);

	/** Answer of the client to the first announced memory. */
	final CompletableFuture<Integer> mapped = new CompletableFuture<>();

	/** Changes an answer before it is sent. */
	volatile BiFunction<FrameType, byte[], byte[]> change = (type, bytes) -> bytes;

	/** Sent after the contract was bound. */
	volatile byte[] afterBound = {};

	/** Whether it never says anything. */
	volatile boolean silent;

	volatile FileChannel segment;

	FakeServer(Path directory, String instanceId) throws IOException {
		this.directory = directory;
		this.instanceId = instanceId;
		// The socket first: others delete the bells of servers that have none.
		this.listener = SocketFile.open(directory, instanceId, SocketFile.LANES);
		this.bells = FifoBells.create(directory, instanceId, "f".repeat(16), LANES);
		Thread thread = new Thread(this::accept, "fake-server");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		while (true) {
			try {
				SocketChannel channel = this.listener.accept();
				this.connected.countDown();
				Thread thread = new Thread(() -> serve(channel), "fake-server-connection");
				thread.setDaemon(true);
				thread.start();
			}
			catch (IOException ex) {
				return;
			}
		}
	}

	private void serve(SocketChannel channel) {
		try (FakePeer client = new FakePeer(channel)) {
			FrameHeader frame = client.read();
			while (frame != null) {
				if (!this.silent) {
					answer(client, frame);
				}
				frame = client.read();
			}
		}
		catch (IOException | WireException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void answer(FakePeer client, FrameHeader frame) throws IOException, WireException {
		switch (frame.type) {
			case HELLO -> say(client, FrameType.WELCOME, frame,
					(out) -> new Payload.Welcome(this.instanceId, 1 << 20).write(out));
			case ATTACH -> {
				Payload.Attach attach = Payload.Attach.read(client.payload());
				this.segment = FileChannel.open(this.directory.resolve(attach.segment()), StandardOpenOption.READ,
						StandardOpenOption.WRITE);
				say(client, FrameType.ATTACHED, frame,
						(out) -> new Payload.Attached("fifo", String.valueOf(this.bells.getFileName()), 64 << 20)
							.write(out));
			}
			case BIND -> {
				say(client, FrameType.BOUND, frame,
						(out) -> new Payload.Bound("jackson", "for a test", Set.of("jackson")).write(out));
				client.write(this.afterBound);
			}
			case MAPPED -> this.mapped.complete(Payload.Mapped.read(client.payload()).number());
			default -> {
				// Announcements of a client do not matter here.
			}
		}
	}

	private void say(FakePeer client, FrameType type, FrameHeader asked, ControlChannel.Fields fields)
			throws WireException {
		client.write(this.change.apply(type, FakePeer.frame(type, asked.correlation, asked.binding, fields)));
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		Files.deleteIfExists(SocketFile.of(this.directory, this.instanceId, SocketFile.LANES));
		FifoBells.delete(this.bells);
		FileChannel file = this.segment;
		if (file != null) {
			file.close();
		}
	}

}
