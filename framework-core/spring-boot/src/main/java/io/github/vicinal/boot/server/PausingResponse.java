package io.github.vicinal.boot.server;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

import io.github.vicinal.requestserver.Permit;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response whose permit others have while its thread may wait for the client to read:
 * with a flush, and with each write beyond what the container buffers. Used as responses
 * are.
 */
final class PausingResponse extends HttpServletResponseWrapper {

	private final Permit permit;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	/** Written bytes, up to the size of the buffer. */
	private long written;

	PausingResponse(HttpServletResponse response, Permit permit) {
		super(response);
		this.permit = permit;
	}

	/** Notes a write, and returns whether it was made one that others run during. */
	private boolean writing(int count) {
		if (this.written <= getBufferSize()) {
			this.written += count;
		}
		return this.written > getBufferSize() && this.permit.pause();
	}

	private void resume(boolean pausing) {
		if (pausing) {
			this.permit.resume();
		}
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		ServletOutputStream known = this.stream;
		if (known == null) {
			known = new Output(super.getOutputStream());
			this.stream = known;
		}
		return known;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		PrintWriter known = this.writer;
		if (known == null) {
			known = new Printer(super.getWriter());
			this.writer = known;
		}
		return known;
	}

	@Override
	public void flushBuffer() throws IOException {
		boolean pausing = this.permit.pause();
		try {
			super.flushBuffer();
		}
		finally {
			resume(pausing);
		}
	}

	/** Bytes for the container. */
	private final class Output extends ServletOutputStream {

		private final ServletOutputStream delegate;

		Output(ServletOutputStream delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(int one) throws IOException {
			boolean pausing = writing(1);
			try {
				this.delegate.write(one);
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public void write(byte[] source, int offset, int length) throws IOException {
			boolean pausing = writing(length);
			try {
				this.delegate.write(source, offset, length);
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public void flush() throws IOException {
			boolean pausing = PausingResponse.this.permit.pause();
			try {
				this.delegate.flush();
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public void close() throws IOException {
			boolean pausing = PausingResponse.this.permit.pause();
			try {
				this.delegate.close();
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public boolean isReady() {
			return this.delegate.isReady();
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			this.delegate.setWriteListener(listener);
		}

	}

	/** Characters for the container, whose writer keeps failures to itself. */
	private final class Printer extends PrintWriter {

		private final PrintWriter delegate;

		Printer(PrintWriter delegate) {
			super(new Characters(delegate));
			this.delegate = delegate;
		}

		@Override
		public boolean checkError() {
			boolean pausing = PausingResponse.this.permit.pause();
			try {
				return this.delegate.checkError();
			}
			finally {
				resume(pausing);
			}
		}

	}

	private final class Characters extends Writer {

		/** A character takes up to as many bytes. */
		private static final int MOST_BYTES = 4;

		private final PrintWriter delegate;

		Characters(PrintWriter delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(char[] source, int offset, int length) {
			boolean pausing = writing(length * MOST_BYTES);
			try {
				this.delegate.write(source, offset, length);
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public void flush() {
			boolean pausing = PausingResponse.this.permit.pause();
			try {
				this.delegate.flush();
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public void close() {
			boolean pausing = PausingResponse.this.permit.pause();
			try {
				this.delegate.close();
			}
			finally {
				resume(pausing);
			}
		}

	}

}
