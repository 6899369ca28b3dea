package io.github.vicinal.boot.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;

import io.github.vicinal.requestserver.Permit;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * A request whose permit others have while its thread waits for the client to send. Used
 * as requests are.
 */
final class PausingRequest extends HttpServletRequestWrapper {

	private final Permit permit;

	private @Nullable ServletInputStream stream;

	private @Nullable BufferedReader reader;

	/** Whether the container has read the body to find parameters or parts. */
	private boolean parsed;

	PausingRequest(HttpServletRequest request, Permit permit) {
		super(request);
		this.permit = permit;
		String type = arrived(request).getContentType();
		String lower = (type != null) ? type.toLowerCase(Locale.ROOT) : "";
		this.parsed = !lower.startsWith("application/x-www-form-urlencoded") && !lower.startsWith("multipart/");
	}

	/** Returns whether a request may have a body; from HTTP/2 on it need not say so. */
	static boolean mayHaveBody(HttpServletRequest request) {
		HttpServletRequest arrived = arrived(request);
		long length = arrived.getContentLengthLong();
		return length > 0 || arrived.getHeader("Transfer-Encoding") != null
				|| (length < 0 && !arrived.getProtocol().startsWith("HTTP/1"));
	}

	/** The look at the body's length is not one of an application's filter. */
	private static HttpServletRequest arrived(HttpServletRequest request) {
		WatchedRequest watched = WebUtils.getNativeRequest(request, WatchedRequest.class);
		return (watched != null) ? (HttpServletRequest) watched.getRequest() : request;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		ServletInputStream known = this.stream;
		if (known == null) {
			known = new Input(super.getInputStream(), this.permit);
			this.stream = known;
		}
		return known;
	}

	@Override
	public BufferedReader getReader() throws IOException {
		BufferedReader known = this.reader;
		if (known == null) {
			known = new BufferedReader(new Characters(super.getReader(), this.permit));
			this.reader = known;
		}
		return known;
	}

	/** The first of these reads all of a form. */
	private boolean parsing() {
		boolean first = !this.parsed;
		this.parsed = true;
		return first && this.permit.pause();
	}

	@Override
	public @Nullable String getParameter(String name) {
		boolean pausing = parsing();
		try {
			return super.getParameter(name);
		}
		finally {
			resume(pausing);
		}
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		boolean pausing = parsing();
		try {
			return super.getParameterValues(name);
		}
		finally {
			resume(pausing);
		}
	}

	@Override
	public Enumeration<String> getParameterNames() {
		boolean pausing = parsing();
		try {
			return super.getParameterNames();
		}
		finally {
			resume(pausing);
		}
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		boolean pausing = parsing();
		try {
			return super.getParameterMap();
		}
		finally {
			resume(pausing);
		}
	}

	@Override
	public Collection<Part> getParts() throws IOException, ServletException {
		boolean pausing = this.permit.pause();
		try {
			return super.getParts();
		}
		finally {
			resume(pausing);
		}
	}

	@Override
	public Part getPart(String name) throws IOException, ServletException {
		boolean pausing = this.permit.pause();
		try {
			return super.getPart(name);
		}
		finally {
			resume(pausing);
		}
	}

	private void resume(boolean pausing) {
		if (pausing) {
			this.permit.resume();
		}
	}

	/** Bytes as the container has them. */
	private static final class Input extends ServletInputStream {

		private final ServletInputStream delegate;

		private final Permit permit;

		Input(ServletInputStream delegate, Permit permit) {
			this.delegate = delegate;
			this.permit = permit;
		}

		/** At the end nothing is available, either, but nothing is waited for. */
		private boolean waiting() throws IOException {
			return this.delegate.available() == 0 && !this.delegate.isFinished() && this.permit.pause();
		}

		@Override
		public int read() throws IOException {
			boolean pausing = waiting();
			try {
				return this.delegate.read();
			}
			finally {
				resume(pausing);
			}
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			boolean pausing = waiting();
			try {
				return this.delegate.read(target, offset, length);
			}
			finally {
				resume(pausing);
			}
		}

		private void resume(boolean pausing) {
			if (pausing) {
				this.permit.resume();
			}
		}

		@Override
		public int available() throws IOException {
			return this.delegate.available();
		}

		@Override
		public void close() throws IOException {
			this.delegate.close();
		}

		@Override
		public boolean isFinished() {
			return this.delegate.isFinished();
		}

		@Override
		public boolean isReady() {
			return this.delegate.isReady();
		}

		@Override
		public void setReadListener(ReadListener listener) {
			this.delegate.setReadListener(listener);
		}

	}

	/** Characters as the container has them. */
	private static final class Characters extends Reader {

		private final Reader delegate;

		private final Permit permit;

		Characters(Reader delegate, Permit permit) {
			this.delegate = delegate;
			this.permit = permit;
		}

		@Override
		public int read(char[] target, int offset, int length) throws IOException {
			boolean pausing = !this.delegate.ready() && this.permit.pause();
			try {
				return this.delegate.read(target, offset, length);
			}
			finally {
				if (pausing) {
					this.permit.resume();
				}
			}
		}

		@Override
		public boolean ready() throws IOException {
			return this.delegate.ready();
		}

		@Override
		public void close() throws IOException {
			this.delegate.close();
		}

	}

}
