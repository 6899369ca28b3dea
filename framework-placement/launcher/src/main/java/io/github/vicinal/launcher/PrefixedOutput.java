package io.github.vicinal.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Standard output or error: each line says which application has written it. Lines of
 * different applications do not mix. Thread-safe.
 */
final class PrefixedOutput extends OutputStream {

	/** A line that is longer is written in pieces. */
	private static final int MAX_LINE_BYTES = 64 * 1024;

	private final OutputStream out;

	private final Charset charset;

	/** A thread that outlasts its application must not keep it. */
	private final Map<ApplicationLoader, Line> lines = new WeakHashMap<>();

	PrefixedOutput(OutputStream out, Charset charset) {
		this.out = out;
		this.charset = charset;
	}

	@Override
	public synchronized void write(int value) throws IOException {
		write(new byte[] { (byte) value }, 0, 1);
	}

	@Override
	public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
		ApplicationLoader loader = ApplicationThreads.owner(Thread.currentThread());
		if (loader == null) {
			this.out.write(bytes, offset, length);
			return;
		}
		Line line = this.lines.computeIfAbsent(loader,
				(key) -> new Line(("[" + key.application() + "] ").getBytes(this.charset)));
		int start = offset;
		for (int i = offset; i < offset + length; i++) {
			if (bytes[i] == '\n') {
				line.write(bytes, start, i + 1 - start);
				line.writeTo(this.out);
				start = i + 1;
			}
		}
		line.write(bytes, start, offset + length - start);
		if (line.size() > MAX_LINE_BYTES) {
			line.writeTo(this.out);
		}
	}

	@Override
	public synchronized void flush() throws IOException {
		this.out.flush();
	}

	/** Writes what an application has left without an end of line. */
	synchronized void end(ApplicationLoader loader) throws IOException {
		Line line = this.lines.remove(loader);
		if (line != null && line.size() > 0) {
			line.write('\n');
			line.writeTo(this.out);
			this.out.flush();
		}
	}

	private static final class Line extends ByteArrayOutputStream {

		private final byte[] prefix;

		/** Whether the rest of a long line follows. */
		private boolean continued;

		Line(byte[] prefix) {
			this.prefix = prefix;
		}

		@Override
		public synchronized void writeTo(@Nullable OutputStream target) throws IOException {
			if (target == null || this.count == 0) {
				return;
			}
			if (!this.continued) {
				target.write(this.prefix);
			}
			this.continued = this.buf[this.count - 1] != '\n';
			target.write(this.buf, 0, this.count);
			reset();
		}

	}

}
