package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.wire.FrameChannel;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;

/** One end of a control connection, which writes whatever a test wants. */
final class FakePeer implements AutoCloseable {

	private final SocketChannel channel;

	private final FrameChannel frames;

	FakePeer(SocketChannel channel) {
		this.channel = channel;
		this.frames = new FrameChannel(channel, new WireLimits(1 << 20, 0, 0), () -> {
		});
	}

	static FakePeer connect(Path directory, String server) throws IOException {
		SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
		channel.connect(UnixDomainSocketAddress.of(SocketFile.of(directory, server, SocketFile.LANES)));
		return new FakePeer(channel);
	}

	static byte[] frame(FrameType type, int binding, ControlChannel.Fields fields) throws WireException {
		return frame(type, 0, binding, fields);
	}

	static byte[] frame(FrameType type, long correlation, int binding, ControlChannel.Fields fields)
			throws WireException {
		EncodeBuffer out = new EncodeBuffer(256);
		int start = FrameDescriptor.begin(out);
		fields.write(out);
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.binding(out, start, binding);
		FrameDescriptor.end(out, start, type);
		return Arrays.copyOf(out.array(), out.size());
	}

	/**
	 * Shakes hands as a client up to ATTACH, whose answer is not read.
	 * @return the segment's open file
	 */
	FileChannel attach(Path directory, String self, String server) throws IOException, WireException {
		return attach(directory, self, server, BellSupport.detect().kinds());
	}

	FileChannel attach(Path directory, String self, String server, Set<String> bells)
			throws IOException, WireException {
		write(frame(FrameType.HELLO, 0, (out) -> new Payload.Hello(self, server, 1 << 20).write(out)));
		read();
		SegmentLayout layout = new SegmentLayout(4, 2048);
		String name = Segment.newName();
		Segment segment = Segment.create(new MemoryFiles(directory), name, layout);
		FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE);
		write(frame(FrameType.ATTACH, 0,
				(out) -> new Payload.Attach(name, 4, 2048, layout.hash(), segment.epoch(), 1 << 20, bells).write(out)));
		return file;
	}

	/** Returns {@code null} at the end, however that came. */
	FrameHeader read() {
		try {
			return this.frames.read();
		}
		catch (IOException | WireException ex) {
			return null;
		}
	}

	PayloadReader payload() {
		return this.frames.payload();
	}

	/** Returns whether the other side still took it. */
	boolean write(byte[] bytes) {
		try {
			this.channel.write(ByteBuffer.wrap(bytes));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** From now on this end only reads. */
	void endOutput() throws IOException {
		this.channel.shutdownOutput();
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
