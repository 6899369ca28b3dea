package io.github.vicinal.boot.server;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.OutputBuffer;
import org.apache.catalina.connector.Response;
import org.apache.catalina.connector.ResponseFacade;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's response to a typed call. The answer stays a value unless something looks at
 * the response, or changes it, after the handler has returned. Then the answer is written
 * first, so that the response is in the state that it would have over HTTP, where changes
 * after the buffer was sent are too late. Used by one thread at a time.
 */
final class LateResponse extends Response {

	private final Supplier<@Nullable TypedCall> call;

	private final CommonHeaders common;

	private @Nullable Facade ownFacade;

	LateResponse(org.apache.coyote.Response response, int bufferSize, Supplier<@Nullable TypedCall> call,
			CommonHeaders common) {
		super(response, (bufferSize > 0) ? bufferSize : OutputBuffer.DEFAULT_BUFFER_SIZE);
		this.call = call;
		this.common = common;
	}

	/**
	 * Returns whether it has been sent, somebody writes text to it, or its text has
	 * another encoding than that of Spring's converters.
	 */
	// Its successor is not in every Tomcat 11.
	@SuppressWarnings("deprecation")
	boolean isTouched() {
		String encoding = getCoyoteResponse().getCharacterEncoding();
		return this.usingWriter || isCommitted() || isAppCommitted()
				|| (encoding != null && !encoding.equalsIgnoreCase(StandardCharsets.UTF_8.name()));
	}

	/** Returns whether as much has been written as was announced. */
	boolean isWhole() {
		long length = getCoyoteResponse().getContentLengthLong();
		return length > 0 && getContentWritten() >= length;
	}

	/** Ends the body with what has been written, as a length sent beforehand would. */
	void endHere() {
		getCoyoteResponse().setContentLength(getContentWritten());
	}

	/** Notes that Spring has written an answer to the stream, which excludes a writer. */
	void streamed() {
		this.usingOutputStream = true;
	}

	/** Writes the answer, if there is one that is not written. */
	private void catchUp() {
		TypedCall current = this.call.get();
		if (current != null && current.isUnwritten()) {
			current.write();
		}
	}

	private void catchUp(@Nullable String name, @Nullable String value) {
		TypedCall current = this.call.get();
		if (current == null || !current.isUnwritten()) {
			return;
		}
		if (name == null || value == null || !this.common.contains(current.response(), name, value)) {
			catchUp();
		}
	}

	/** The content that follows replaces an answer that has not been sent. */
	private void replace() {
		catchUp();
		TypedCall current = this.call.get();
		if (current != null && !isAppCommitted()) {
			current.replaced();
		}
	}

	@Override
	public HttpServletResponse getResponse() {
		Facade known = this.ownFacade;
		if (known == null) {
			known = new Facade(this);
			this.ownFacade = known;
		}
		return known;
	}

	@Override
	public void recycle() {
		super.recycle();
		if (this.ownFacade != null) {
			this.ownFacade.clear();
			this.ownFacade = null;
		}
	}

	/** The container says so if the application has failed. */
	@Override
	public void setStatus(int status) {
		catchUp();
		super.setStatus(status);
	}

	@Override
	public void setError() {
		replace();
		super.setError();
	}

	/** View of the response for filters, interceptors and handlers. */
	private static final class Facade extends ResponseFacade {

		private final LateResponse late;

		/** Whether the header that is being set leaves the answer a value. */
		private boolean settled;

		Facade(LateResponse late) {
			super(late);
			this.late = late;
		}

		@Override
		public boolean isCommitted() {
			if (!this.settled) {
				this.late.catchUp();
			}
			return super.isCommitted();
		}

		@Override
		public void setHeader(String name, String value) {
			this.late.catchUp(name, value);
			this.settled = true;
			super.setHeader(name, value);
			this.settled = false;
		}

		@Override
		public void addHeader(String name, String value) {
			this.late.catchUp(name, value);
			this.settled = true;
			super.addHeader(name, value);
			this.settled = false;
		}

		@Override
		public ServletOutputStream getOutputStream() throws IOException {
			this.late.catchUp();
			return super.getOutputStream();
		}

		@Override
		public PrintWriter getWriter() throws IOException {
			this.late.catchUp();
			return super.getWriter();
		}

		@Override
		public void flushBuffer() throws IOException {
			this.late.catchUp();
			super.flushBuffer();
		}

		@Override
		public void resetBuffer() {
			this.late.replace();
			super.resetBuffer();
		}

		@Override
		public void reset() {
			this.late.replace();
			super.reset();
		}

		@Override
		public void sendError(int status) throws IOException {
			this.late.replace();
			super.sendError(status);
		}

		@Override
		public void sendError(int status, String message) throws IOException {
			this.late.replace();
			super.sendError(status, message);
		}

		@Override
		public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
			if (clearBuffer) {
				this.late.replace();
			}
			super.sendRedirect(location, status, clearBuffer);
		}

	}

}
