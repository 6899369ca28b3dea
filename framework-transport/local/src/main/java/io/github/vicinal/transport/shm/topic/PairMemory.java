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
 * 256    per thread a multiple of 128 bytes: whether it sleeps; at 64 for each of its
 *        slots position + 1 of the record that it holds or is about to claim (stream),
 *        or 0
 * </pre>
 *
 * A thread has as many slots as a batch may have messages. Slots are numbered through all
 * threads.
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

	/** Bytes of two cache lines, which processors fetch together. */
	private static final int LINE_BYTES = 128;

	private static final int HELD = 64;

	private final Memory memory;

	private final int threads;

	/** Number of slots of a thread. */
	private final int batch;

	private PairMemory(Memory memory, int threads, int batch) {
		this.memory = memory;
		this.threads = threads;
		this.batch = batch;
	}

	static PairMemory create(MemoryFiles files, String name, int threads, int batch) throws IOException {
		return new PairMemory(files.create(name, bytes(threads, batch)), threads, batch);
	}

	static PairMemory adopt(Path directory, String name, int threads, int batch) throws IOException, WireException {
		return new PairMemory(Memory.adopt(directory, name, bytes(threads, batch)), threads, batch);
	}

	private static int bytes(int threads, int batch) {
		return THREADS + threadBytes(batch) * threads;
	}

	private static int threadBytes(int batch) {
		return (HELD + Long.BYTES * batch + LINE_BYTES - 1) & -LINE_BYTES;
	}

	long bytes() {
		return this.memory.bytes();
	}

	BellWords words() {
		return new BellWords(this.memory.buffer(), UNUSED, UNUSED + Integer.BYTES, this::asleepOffset, this.threads);
	}

	int threads() {
		return this.threads;
	}

	int slots() {
		return this.threads * this.batch;
	}

	private int asleepOffset(int thread) {
		return THREADS + threadBytes(this.batch) * thread;
	}

	private int heldOffset(int slot) {
		return asleepOffset(slot / this.batch) + HELD + Long.BYTES * (slot % this.batch);
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

	/** Returns the position of the record that is held in a slot, or -1. */
	long held(int slot) {
		return this.memory.getLongVolatile(heldOffset(slot)) - 1;
	}

	void hold(int slot, long position) {
		this.memory.setLongVolatile(heldOffset(slot), position + 1);
	}

	void release(int slot) {
		this.memory.setLongVolatile(heldOffset(slot), 0);
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
