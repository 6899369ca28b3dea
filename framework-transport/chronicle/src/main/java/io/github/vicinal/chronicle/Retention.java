package io.github.vicinal.chronicle;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

import net.openhft.chronicle.queue.impl.RollingResourcesCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the oldest files of a queue, whole files only and never the newest one. */
final class Retention {

	private static final Logger logger = LoggerFactory.getLogger(Retention.class);

	private static final String SUFFIX = ".cq4";

	private final Path queue;

	private final ChronicleOptions options;

	private final RollingResourcesCache names;

	Retention(Path queue, ChronicleOptions options) {
		this.queue = queue;
		this.options = options;
		this.names = new RollingResourcesCache(options.roll().cycle(), options.roll().cycle().defaultEpoch(),
				(name) -> new File(name + SUFFIX),
				(file) -> file.getName().substring(0, file.getName().length() - SUFFIX.length()));
	}

	/**
	 * Deletes files that are too many or too old.
	 * @param handled the number of the first file that somebody has yet to handle
	 * @param newestBehind what part of the newest file that is
	 * @param newestBytes bytes of the newest file that are written, 0 if they are not
	 * known
	 * @param wanted bytes that are to be appended
	 * @param unhandled whether files go that somebody has yet to handle, too, rather than
	 * that there is no room
	 * @param one whether the oldest file goes in any case
	 * @param lost returns the number of messages of a file that somebody has yet to
	 * handle
	 * @return what is there afterwards
	 */
	Result apply(long handled, double newestBehind, long newestBytes, long wanted, boolean unhandled, boolean one,
			LongUnaryOperator lost) throws IOException {
		List<Old> files = files();
		long newest = newestBytes;
		if (newest == 0 && !files.isEmpty()) {
			newest = Math.min(files.get(files.size() - 1).bytes(), this.options.blockBytes());
		}
		long older = 0;
		for (int i = 0; i < files.size() - 1; i++) {
			older += files.get(i).bytes();
		}
		Instant oldest = Instant.now().minus(this.options.maxAge());
		int deleted = 0;
		long dropped = 0;
		for (Old file : files.subList(0, Math.max(0, files.size() - 1))) {
			boolean tooMany = older + newest + wanted > this.options.maxBytes();
			boolean noSpace = one && deleted == 0;
			boolean tooOld = file.modified().isBefore(oldest);
			boolean free = file.cycle() < handled;
			if (!noSpace && !(free && (tooMany || tooOld)) && !(unhandled && tooMany)) {
				break;
			}
			// Not known any more when it is gone.
			long messages = free ? 0 : lost.applyAsLong(file.cycle());
			// Another publisher may be faster, and counts them then.
			dropped += Files.deleteIfExists(file.path()) ? messages : 0;
			logger.info("Deleted {}: {}", file.path(),
					tooMany ? "the topic has more bytes than it may" : noSpace ? "the volume has no room"
							: "all consumers have handled it, and it is older than " + this.options.maxAge());
			older -= file.bytes();
			deleted++;
		}
		long newestUnhandled = (long) (newestBehind * newest);
		long behind = newestUnhandled;
		for (Old file : files.subList(Math.min(deleted, files.size()), Math.max(deleted, files.size() - 1))) {
			behind += (file.cycle() >= handled) ? file.bytes() : 0;
		}
		return new Result(older + newest, older + newestUnhandled, behind, deleted, dropped);
	}

	private List<Old> files() throws IOException {
		List<Old> files = new ArrayList<>();
		try (DirectoryStream<Path> all = Files.newDirectoryStream(this.queue, "*" + SUFFIX)) {
			for (Path path : all) {
				String name = String.valueOf(path.getFileName());
				files.add(new Old(path, this.names.parseCount(name.substring(0, name.length() - SUFFIX.length())),
						Files.size(path), Files.getLastModifiedTime(path).toInstant()));
			}
		}
		catch (NoSuchFileException ex) {
			// Another publisher deletes files, too; this one looks again later.
			return List.of();
		}
		files.sort((one, other) -> Long.compare(one.cycle(), other.cycle()));
		return files;
	}

	private record Old(Path path, long cycle, long bytes, Instant modified) {
	}

	/**
	 * Outcome of one look at the files of a topic.
	 *
	 * @param bytes of all files
	 * @param needed bytes of them that somebody has yet to handle, or that are in one
	 * file with such
	 * @param behind bytes of messages that somebody has yet to handle, about
	 * @param deleted number of files that were deleted
	 * @param dropped number of messages in them that somebody had yet to handle
	 */
	record Result(long bytes, long needed, long behind, int deleted, long dropped) {
	}

}
