package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.nio.file.Path;

import io.github.vicinal.transport.shm.bell.BellWords;
import io.github.vicinal.transport.shm.lane.Memory;
import io.github.vicinal.transport.shm.lane.MemoryFiles;
import io.github.vicinal.transport.shm.waiting.SharedState;
import io.github.vicinal.transport.wire.WireException;

/**
 * The page that a publisher shares with one subscriber. All words are the subscriber's,
 * except that the publisher takes back a word that says that a thread sleeps.
 *
 * <pre>
 *   0    what both sides know of waiting
 * 128    position: the subscriber has handled all before it (publish/subscribe)
 * 256    per thread 128 bytes: whether it sleeps; position + 1 of the record that it
 *        holds or is about to claim (stream), or 0
 * </pre>
 */
final class PairMemory implements SharedState {

	private static final int BANNED_UNTIL = 0;

	private static final int BAN_PERIOD = 8;

	private static final int LATENESS = 16;

	private static final int SERVED = 24;

	private static final int ACTIVE = 32;

	/** Words of bells that topics have no use for. */
	private static final int UNUSED = 64;

	private static final int POSITION = 128;

	private static final int THREADS = 256;

	private static final int THREAD_BYTES = 128;

	private static final int HELD = 64;

	private final Memory memory;

	private final int threads;

	private PairMemory(Memory memory, int threads) {
		this.memory = memory;
		this.threads = threads;
	}

	static PairMemory create(MemoryFiles files, String name, int threads) throws IOException {
		return new PairMemory(files.create(name, bytes(threads)), threads);
	}

	static PairMemory adopt(Path directory, String name, int threads) throws IOException, WireException {
		return new PairMemory(Memory.adopt(directory, name, bytes(threads)), threads);
	}

	static int bytes(int threads) {
		return THREADS + THREAD_BYTES * threads;
	}

	BellWords words() {
		return new BellWords(this.memory.buffer(), UNUSED, UNUSED + Integer.BYTES, PairMemory::asleepOffset,
				this.threads);
	}

	int threads() {
		return this.threads;
	}

	private static int asleepOffset(int thread) {
		return THREADS + THREAD_BYTES * thread;
	}

	long position() {
		return this.memory.getLongVolatile(POSITION);
	}

	void position(long position) {
		this.memory.setLongRelease(POSITION, position);
	}

	/** In one order with what is read next. */
	void asleep(int thread, boolean asleep) {
		this.memory.setIntVolatile(asleepOffset(thread), asleep ? 1 : 0);
	}

	/** Returns whether a thread sleeps that the caller must wake. */
	boolean takeSleeper(int thread) {
		int offset = asleepOffset(thread);
		return this.memory.getIntVolatile(offset) == 1 && this.memory.compareAndSetInt(offset, 1, 0);
	}

	/** Returns the position of the record that a thread holds, or -1. */
	long held(int thread) {
		return this.memory.getLongVolatile(asleepOffset(thread) + HELD) - 1;
	}

	void hold(int thread, long position) {
		this.memory.setLongVolatile(asleepOffset(thread) + HELD, position + 1);
	}

	void release(int thread) {
		this.memory.setLongVolatile(asleepOffset(thread) + HELD, 0);
	}

	@Override
	public long bannedUntil() {
		return this.memory.getLong(BANNED_UNTIL);
	}

	@Override
	public void bannedUntil(long nanos) {
		this.memory.setLong(BANNED_UNTIL, nanos);
	}

	@Override
	public boolean claimProbe(long expected, long nanos) {
		return this.memory.compareAndSetLong(BANNED_UNTIL, expected, nanos);
	}

	@Override
	public long banPeriod() {
		return this.memory.getLong(BAN_PERIOD);
	}

	@Override
	public void banPeriod(long nanos) {
		this.memory.setLong(BAN_PERIOD, nanos);
	}

	@Override
	public long lateness() {
		return this.memory.getLong(LATENESS);
	}

	@Override
	public void lateness(long nanos) {
		this.memory.setLong(LATENESS, nanos);
	}

	@Override
	public long served() {
		return this.memory.getLong(SERVED);
	}

	@Override
	public void served(long calls) {
		this.memory.setLong(SERVED, calls);
	}

	@Override
	public int activeLanes() {
		return this.memory.getInt(ACTIVE);
	}

	@Override
	public void activeLanes(int lanes) {
		this.memory.setInt(ACTIVE, lanes);
	}

}
