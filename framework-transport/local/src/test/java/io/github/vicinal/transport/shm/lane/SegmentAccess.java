package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/** Lets tests write anything anywhere, as a hostile peer could. */
public final class SegmentAccess {

	private SegmentAccess() {
	}

	/**
	 * Has the JVM compile what touches shared memory: interpreted compare-and-set on a
	 * file that was cut off ends the process.
	 */
	public static void compile(Path directory) throws IOException {
		Memory memory = new MemoryFiles(directory).create(Segment.newName(), 4096);
		for (int i = 0; i < 200_000; i++) {
			memory.compareAndSetInt(0, 0, 0);
			memory.compareAndSetLong(0, 0, 0);
			memory.setBit(8, i & 63);
			memory.takeBits(8);
			memory.setLong(16, i);
		}
		Segment.deleteOrphans(directory, Duration.ofSeconds(-10));
	}

	/**
	 * Ends a pair whose memory is gone, with the error of an access to it pending if that
	 * was not thrown at once.
	 */
	public static void endAfterTouch(LaneClient client, LaneClient.End reason) {
		try {
			client.segment().memory().setLong(SegmentLayout.MODE_OFFSET, 0);
			client.end(reason);
		}
		catch (InternalError ex) {
			client.end(reason);
		}
	}

	/** Returns how much memory of pairs that have ended waits to be unmapped. */
	public static long endedBytes(MemoryFiles files) {
		return files.endedBytes();
	}

	/** Returns how much memory the server has made for payloads. */
	public static long peerMemoryBytes(LaneClient client) {
		return client.peerArenas().bytes();
	}

	public static ByteBuffer memory(LaneClient client) {
		return client.segment().memory().buffer();
	}

}
