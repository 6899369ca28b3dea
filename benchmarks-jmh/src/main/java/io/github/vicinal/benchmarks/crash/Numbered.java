package io.github.vicinal.benchmarks.crash;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;

import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.ServerLane;

/**
 * Messages that show if they were mixed up, altered, or delivered twice: caller (long),
 * number (long), length of the answer (int), checksum of all else (int), filling.
 */
final class Numbered {

	static final int HEADER_BYTES = 24;

	/**
	 * The sizes are mixed: most fit into a lane, some need one slab, a few a large one.
	 */
	private static final int INLINE_BYTES = 2048;

	private static final int SLAB_BYTES = 64 * 1024;

	private static final int LARGE_BYTES = 600 * 1024;

	private static final int CHECKSUM = 20;

	private Numbered() {
	}

	static int size(Random random) {
		int kind = random.nextInt(20);
		int most = (kind < 14) ? INLINE_BYTES : (kind < 19) ? SLAB_BYTES : LARGE_BYTES;
		return HEADER_BYTES + random.nextInt(most - HEADER_BYTES);
	}

	/** Returns sizes that cover what {@link #size} draws: each twice the one before. */
	static List<Integer> sizes() {
		List<Integer> sizes = new ArrayList<>();
		for (int size = INLINE_BYTES; size < LARGE_BYTES; size *= 2) {
			sizes.add(size);
		}
		sizes.add(LARGE_BYTES);
		return sizes;
	}

	static byte[] of(long caller, long number, int answerLength, int length) {
		byte[] message = new byte[length];
		long state = caller * 31 + number;
		for (int i = HEADER_BYTES; i < length; i++) {
			state = state * 6364136223846793005L + 1442695040888963407L;
			message[i] = (byte) (state >>> 56);
		}
		ByteBuffer buffer = ByteBuffer.wrap(message);
		buffer.putLong(caller).putLong(number).putInt(answerLength);
		buffer.putInt(checksum(message, length));
		return message;
	}

	private static int checksum(byte[] message, int length) {
		CRC32C checksum = new CRC32C();
		checksum.update(message, 0, CHECKSUM);
		checksum.update(message, HEADER_BYTES, length - HEADER_BYTES);
		return (int) checksum.getValue();
	}

	/** Says what is wrong with an answer, or returns an empty text. */
	static String problem(byte[] message, int length, long caller, long number, int expectedLength) {
		if (length != expectedLength) {
			return "an answer of %d bytes instead of %d".formatted(length, expectedLength);
		}
		ByteBuffer buffer = ByteBuffer.wrap(message);
		long seenCaller = buffer.getLong();
		long seenNumber = buffer.getLong();
		buffer.getInt();
		if (buffer.getInt() != checksum(message, length)) {
			return "a wrong checksum";
		}
		return (seenCaller == caller && seenNumber == number) ? ""
				: "the answer to call %d of caller %d instead of %d of %d".formatted(seenNumber, seenCaller, number,
						caller);
	}

	/** Answers numbered messages, and counts those that are wrong or come again. */
	static final class Answers implements LaneServer.Handler {

		private final Map<Long, Long> last = new ConcurrentHashMap<>();

		private final LongAdder calls = new LongAdder();

		private final LongAdder corrupt = new LongAdder();

		private final LongAdder duplicated = new LongAdder();

		@Override
		public void handle(ServerLane lane, int batch) throws io.github.vicinal.transport.wire.WireException {
			byte[] request = lane.request();
			int length = lane.length();
			if (length < HEADER_BYTES || ByteBuffer.wrap(request).getInt(CHECKSUM) != checksum(request, length)) {
				this.corrupt.increment();
			}
			ByteBuffer buffer = ByteBuffer.wrap(request);
			long caller = buffer.getLong();
			long number = buffer.getLong();
			Long before = this.last.put(caller, number);
			if (before != null && before >= number) {
				this.duplicated.increment();
			}
			this.calls.increment();
			byte[] answer = of(caller, number, 0, Math.max(HEADER_BYTES, Math.min(buffer.getInt(), LARGE_BYTES)));
			// False if the client is gone and has left no memory.
			lane.respond(answer, answer.length);
		}

		void forgetCallers() {
			this.last.clear();
		}

		long calls() {
			return this.calls.sum();
		}

		long corrupt() {
			return this.corrupt.sum();
		}

		long duplicated() {
			return this.duplicated.sum();
		}

	}

}
