package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;

/** Lets tests write anything anywhere, as a hostile peer could. */
public final class SegmentAccess {

	private SegmentAccess() {
	}

	public static ByteBuffer memory(LaneClient client) {
		return client.segment().memory().buffer();
	}

}
