package io.github.vicinal.transport.wire;

import java.nio.ByteBuffer;

import io.github.vicinal.codec.EncodeBuffer;

/** Whole frames for senders that have no connection of their own. */
public final class Frames {

	private static final int SMALL_BYTES = 256;

	private Frames() {
	}

	public static ByteBuffer refused(Refusal refusal, String text) {
		EncodeBuffer out = new EncodeBuffer(SMALL_BYTES);
		int start = FrameDescriptor.begin(out);
		Payload.writeReason(out, text);
		FrameDescriptor.flags(out, start, FrameDescriptor.FLAG_CLOSING);
		FrameDescriptor.code(out, start, refusal.number());
		FrameDescriptor.end(out, start, FrameType.REFUSED);
		return ByteBuffer.wrap(out.array(), 0, out.size());
	}

	public static ByteBuffer goodbye() {
		EncodeBuffer out = new EncodeBuffer(FrameDescriptor.HEADER_BYTES);
		appendGoodbye(out);
		return ByteBuffer.wrap(out.array(), 0, out.size());
	}

	public static void appendGoodbye(EncodeBuffer out) {
		int start = FrameDescriptor.begin(out);
		FrameDescriptor.code(out, start, Refusal.SHUTTING_DOWN.number());
		FrameDescriptor.end(out, start, FrameType.GOODBYE);
	}

}
