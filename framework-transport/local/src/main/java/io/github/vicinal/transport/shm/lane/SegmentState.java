package io.github.vicinal.transport.shm.lane;

import io.github.vicinal.transport.shm.waiting.SharedState;

/** The words of a segment by which both sides agree how to wait. */
final class SegmentState implements SharedState {

	private final Memory memory;

	SegmentState(Memory memory) {
		this.memory = memory;
	}

	@Override
	public long bannedUntil() {
		return this.memory.getLong(SegmentLayout.BANNED_UNTIL_OFFSET);
	}

	@Override
	public void bannedUntil(long nanos) {
		this.memory.setLong(SegmentLayout.BANNED_UNTIL_OFFSET, nanos);
	}

	@Override
	public boolean claimProbe(long expected, long nanos) {
		return this.memory.compareAndSetLong(SegmentLayout.BANNED_UNTIL_OFFSET, expected, nanos);
	}

	@Override
	public long banPeriod() {
		return this.memory.getLong(SegmentLayout.BAN_PERIOD_OFFSET);
	}

	@Override
	public void banPeriod(long nanos) {
		this.memory.setLong(SegmentLayout.BAN_PERIOD_OFFSET, nanos);
	}

	@Override
	public long lateness() {
		return this.memory.getLong(SegmentLayout.LATENESS_OFFSET);
	}

	@Override
	public void lateness(long nanos) {
		this.memory.setLong(SegmentLayout.LATENESS_OFFSET, nanos);
	}

	@Override
	public long served() {
		return this.memory.getLong(SegmentLayout.SERVED_OFFSET);
	}

	@Override
	public void served(long calls) {
		this.memory.setLong(SegmentLayout.SERVED_OFFSET, calls);
	}

	@Override
	public int activeLanes() {
		return this.memory.getInt(SegmentLayout.ACTIVE_OFFSET);
	}

	@Override
	public void activeLanes(int lanes) {
		this.memory.setInt(SegmentLayout.ACTIVE_OFFSET, lanes);
	}

}
