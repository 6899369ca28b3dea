package io.github.vicinal.chronicle.path;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * Puts the pieces of frames together. A length is checked before anything is kept for it,
 * and memory grows with the bytes that have arrived. Used by one thread.
 */
final class FramePieces {

	private final WireLimits limits;

	/** The beginning of a frame that is not complete, {@code null} between frames. */
	private byte @Nullable [] begun;

	private int received;

	/** Length of that frame. */
	private int size;

	/**
	 * Creates an empty one.
	 * @param limits what this side accepts
	 */
	FramePieces(WireLimits limits) {
		this.limits = limits;
	}

	/**
	 * Adds a piece.
	 * @param piece belongs to the frame from now on
	 * @return the frame, if it is complete now
	 * @throws WireException if the bytes are no acceptable frame
	 */
	@Nullable ReceivedFrame add(byte[] piece) throws WireException {
		byte[] known = this.begun;
		if (known == null) {
			this.size = size(piece);
			if (piece.length < this.size) {
				this.begun = piece;
				this.received = piece.length;
				return null;
			}
			return frame(piece, piece.length);
		}
		if (piece.length == 0 || piece.length > this.size - this.received) {
			throw new WireException(Refusal.MALFORMED, "a piece of %d bytes where %d of a frame of %d are missing"
				.formatted(piece.length, this.size - this.received, this.size));
		}
		int all = this.received + piece.length;
		if (all > known.length) {
			known = Arrays.copyOf(known, (int) Math.min(this.size, Math.max(all, 2L * known.length)));
			this.begun = known;
		}
		System.arraycopy(piece, 0, known, this.received, piece.length);
		this.received = all;
		if (all < this.size) {
			return null;
		}
		this.begun = null;
		return frame(known, all);
	}

	/** Returns the length of the frame that begins with a piece. */
	private int size(byte[] piece) throws WireException {
		if (piece.length < FrameDescriptor.HEADER_BYTES) {
			throw new WireException(Refusal.MALFORMED, "a frame begins with %d bytes".formatted(piece.length));
		}
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(ByteBuffer.wrap(piece), header, this.limits);
		return FrameDescriptor.HEADER_BYTES + header.length;
	}

	private ReceivedFrame frame(byte[] bytes, int length) throws WireException {
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(bytes, length, header, this.limits);
		return new ReceivedFrame(header, bytes);
	}

}
