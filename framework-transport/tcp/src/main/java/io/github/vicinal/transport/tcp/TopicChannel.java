package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.multiplex.TopicPieces;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * A connection that carries the messages of a topic, on either side: its event loop keeps
 * what arrives until a thread asks for it, and stops reading when that is too much.
 */
// Netty notifies the listeners, and closes the channel.
@SuppressWarnings("FutureReturnValueIgnored")
final class TopicChannel implements TopicConnection {

	private static final long CLOSE_MILLIS = 1000;

	private final Channel channel;

	private final ConnectionGuard guard;

	private final int maxBytes;

	private final String peer;

	private final TopicPieces pieces = new TopicPieces(this::resume);

	/**
	 * Creates the view of a connection.
	 * @param channel connects both sides
	 * @param guard watches it
	 * @param maxBytes maximum bytes of one piece
	 * @param peer the other side, for people
	 */
	TopicChannel(Channel channel, ConnectionGuard guard, int maxBytes, String peer) {
		this.channel = channel;
		this.guard = guard;
		this.maxBytes = maxBytes;
		this.peer = peer;
	}

	@Override
	public String peer() {
		return this.peer;
	}

	@Override
	public int maxBytes() {
		return this.maxBytes;
	}

	@Override
	public void send(ByteBuffer bytes) throws IOException {
		this.pieces.awaitRoom(this.channel::isWritable, this.peer);
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES + bytes.remaining());
		int start = FrameDescriptor.begin(out);
		out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
		FrameDescriptor.end(out, start, FrameType.TOPIC);
		this.channel.writeAndFlush(Unpooled.wrappedBuffer(out.array(), 0, out.size())).addListener((written) -> {
			if (!written.isSuccess()) {
				end("could not be reached: " + written.cause());
			}
		});
	}

	@Override
	public @Nullable ByteBuffer receive(long nanos) throws IOException {
		return this.pieces.receive(nanos, this.peer);
	}

	private void resume() {
		this.channel.eventLoop().execute(() -> {
			this.guard.resume();
			this.channel.config().setAutoRead(true);
		});
	}

	/** Takes a piece that has arrived. By the event loop. */
	void received(byte[] bytes) {
		if (this.pieces.add(bytes)) {
			this.guard.pause();
			this.channel.config().setAutoRead(false);
		}
	}

	/** The other side may take more, or not. By the event loop. */
	void writabilityChanged() {
		this.pieces.roomChanged();
	}

	/** Nothing more arrives. What has arrived may still be received. */
	void end(String why) {
		this.pieces.end(why);
	}

	@Override
	public boolean isOpen() {
		return this.pieces.isOpen();
	}

	@Override
	public void close() {
		if (!isOpen()) {
			this.channel.close();
			return;
		}
		end("was left");
		this.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
		// The other side may not take even that.
		var timer = this.channel.eventLoop().schedule(() -> this.channel.close(), CLOSE_MILLIS, TimeUnit.MILLISECONDS);
		this.channel.closeFuture().addListener((closed) -> timer.cancel(false));
	}

	/** Calls a listener when the connection is closed on this side. */
	void whenClosed(Runnable listener) {
		this.channel.closeFuture().addListener((closed) -> listener.run());
	}

	@Override
	public String toString() {
		return this.peer;
	}

}
