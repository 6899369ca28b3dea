package io.github.vicinal.chronicle.path;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames that another process appends to a queue, and deletes the files that it
 * has read. Used by one thread at a time.
 */
final class FrameReader implements AutoCloseable {

	private final Path directory;

	private final PairQueue queue;

	private final QueueWords words;

	private final int maxPieceBytes;

	private final FramePieces pieces;

	private final SingleChronicleQueue chronicle;

	private final ExcerptTailer tailer;

	/** Number of the file that is read, 0 before the first. */
	private int cycle;

	/** The file that is read, {@code null} before the first. */
	private @Nullable File file;

	private FrameReader(Path directory, PairQueue queue, QueueWords words, ChroniclePathOptions options)
			throws IOException {
		this.directory = directory;
		this.queue = queue;
		this.words = words;
		this.maxPieceBytes = ChroniclePathOptions.MAX_FILE_BYTES;
		this.pieces = new FramePieces(options.limits());
		// A reader never begins a file, so its clock may stand still.
		this.chronicle = QueueFiles.open(directory, options.fileBytes(), new CycleClock());
		try {
			this.tailer = this.chronicle.createTailer();
			this.tailer.singleThreadedCheckDisabled(true);
		}
		catch (Exception | AssertionError | InternalError ex) {
			this.chronicle.close();
			throw QueueFiles.failed(directory, "cannot be read", ex);
		}
	}

	/**
	 * Opens the reading end of a queue.
	 * @param pair directory of the pair
	 * @param queue the queue
	 * @param words of the pair
	 * @param options limits
	 */
	static FrameReader open(Path pair, PairQueue queue, QueueWords words, ChroniclePathOptions options)
			throws IOException {
		return new FrameReader(pair.resolve(queue.directory()), queue, words, options);
	}

	/**
	 * Returns the next frame.
	 * @return a frame, or {@code null} if none is complete
	 * @throws WireException if the bytes are no acceptable frame
	 * @throws IOException if the queue cannot be read
	 */
	@Nullable ReceivedFrame next() throws IOException, WireException {
		for (byte[] piece = piece(); piece != null; piece = piece()) {
			ReceivedFrame frame = this.pieces.add(piece);
			if (frame != null) {
				return frame;
			}
		}
		return null;
	}

	private byte @Nullable [] piece() throws IOException, WireException {
		byte[] piece;
		int from;
		try (DocumentContext document = this.tailer.readingDocument()) {
			if (!document.isPresent()) {
				return null;
			}
			Bytes<?> bytes = Objects.requireNonNull(document.wire()).bytes();
			long length = bytes.readRemaining();
			if (length < 0 || length > this.maxPieceBytes) {
				throw new WireException(Refusal.MALFORMED, "a piece of %d bytes".formatted(length));
			}
			piece = new byte[(int) length];
			bytes.read(piece);
			from = CycleClock.ROLL.toCycle(document.index());
		}
		catch (WireException ex) {
			throw ex;
		}
		catch (Exception | AssertionError | InternalError ex) {
			throw QueueFiles.failed(this.directory, "cannot be read", ex);
		}
		if (from != this.cycle) {
			reads(from);
		}
		return piece;
	}

	/** A file is read when the first piece of the next one is. */
	private void reads(int next) throws IOException {
		File before = this.file;
		if (before != null) {
			Files.deleteIfExists(before.toPath());
			this.words.hasRead(this.queue, next - 1);
		}
		this.file = this.tailer.currentFile();
		this.cycle = next;
	}

	@Override
	public void close() {
		this.tailer.close();
		this.chronicle.close();
	}

}
