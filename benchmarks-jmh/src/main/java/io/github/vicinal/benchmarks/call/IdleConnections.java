package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerAnnouncement.MalformedAnnouncementException;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.WireException;

/**
 * Connections of the path {@code tcp} that make no calls: they greet the server, and
 * answer its pings.
 */
final class IdleConnections implements AutoCloseable {

	private static final int MAX_FRAME_BYTES = 1 << 20;

	private static final int BUFFER_BYTES = 4096;

	private final Selector selector = Selector.open();

	private final List<SocketChannel> channels = new ArrayList<>();

	private final AtomicInteger pings = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private final Thread thread = new Thread(this::answer, "idle-connections");

	IdleConnections(String url, int count) throws IOException, InterruptedException, MalformedAnnouncementException {
		PeerAnnouncement announcement = announcement(url);
		String address = announcement.addresses().get("tcp");
		if (address == null) {
			throw new IOException("The server does not offer tcp: " + announcement.format());
		}
		int colon = address.lastIndexOf(':');
		InetSocketAddress server = new InetSocketAddress(address.substring(0, colon),
				Integer.parseInt(address.substring(colon + 1)));
		for (int i = 0; i < count; i++) {
			this.channels.add(greeted(announcement.peer().instanceId(), server));
		}
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private static PeerAnnouncement announcement(String url)
			throws IOException, InterruptedException, MalformedAnnouncementException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/echo/note"))
			.version(HttpClient.Version.HTTP_1_1)
			.header(PeerAnnouncement.REQUEST_HEADER, Echo.class.getName())
			.header(PeerAnnouncement.SENT_HEADERS_HEADER, "content-type")
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{\"id\":1,\"author\":\"a\",\"text\":\"t\"}"))
			.build();
		HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
		return PeerAnnouncement.parse(response.headers()
			.firstValue(PeerAnnouncement.HEADER)
			.orElseThrow(() -> new IOException("The server does not announce itself")));
	}

	private SocketChannel greeted(String instanceId, InetSocketAddress server) throws IOException {
		SocketChannel channel = SocketChannel.open(server);
		EncodeBuffer out = new EncodeBuffer(256);
		int start = FrameDescriptor.begin(out);
		String nonce = InstanceProof.nonce();
		try {
			new Payload.Hello(nonce, InstanceProof.ofClient(instanceId, nonce, server), MAX_FRAME_BYTES).write(out);
		}
		catch (WireException ex) {
			throw new IOException(ex);
		}
		FrameDescriptor.end(out, start, FrameType.HELLO);
		channel.write(ByteBuffer.wrap(out.array(), 0, out.size()));
		ByteBuffer in = ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES);
		while (in.hasRemaining()) {
			if (channel.read(in) < 0) {
				throw new IOException("The server closed a connection");
			}
		}
		ByteBuffer body = ByteBuffer.allocate(in.getInt(FrameDescriptor.LENGTH_OFFSET));
		while (body.hasRemaining()) {
			if (channel.read(body) < 0) {
				throw new IOException("The server closed a connection");
			}
		}
		channel.configureBlocking(false);
		channel.register(this.selector, SelectionKey.OP_READ);
		return channel;
	}

	/** A ping has no body: each header that arrives is one. */
	private void answer() {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		FrameDescriptor.end(out, FrameDescriptor.begin(out), FrameType.PONG);
		ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES);
		try {
			while (this.selector.isOpen()) {
				this.selector.select((key) -> answer(key, out, in));
			}
		}
		catch (IOException | java.nio.channels.ClosedSelectorException ex) {
			// The measurement has ended.
		}
	}

	private void answer(SelectionKey key, EncodeBuffer out, ByteBuffer in) {
		SocketChannel channel = (SocketChannel) key.channel();
		in.clear();
		try {
			int read = channel.read(in);
			if (read < 0) {
				throw new IOException("The server closed a connection");
			}
			for (int i = 0; i < read / FrameDescriptor.HEADER_BYTES; i++) {
				this.pings.incrementAndGet();
				channel.write(ByteBuffer.wrap(out.array(), 0, out.size()));
			}
		}
		catch (IOException ex) {
			key.cancel();
			this.lost.incrementAndGet();
		}
	}

	int pings() {
		return this.pings.get();
	}

	int lost() {
		return this.lost.get();
	}

	@Override
	public void close() throws IOException {
		this.selector.close();
		for (SocketChannel channel : this.channels) {
			channel.close();
		}
	}

}
