package io.github.vicinal.boot.server;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.ResponseHead;
import io.github.vicinal.exchange.ServerExchange;
import jakarta.servlet.ServletConnection;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.ActionCode;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.ErrorState;
import org.apache.coyote.InputBuffer;
import org.apache.coyote.OutputBuffer;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.http.FastHttpDateFormat;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.apache.tomcat.util.net.DispatchType;
import org.apache.tomcat.util.net.ServletConnectionImpl;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat processor of an exchange, as its HTTP/1.1 processor is for a socket. It checks
 * and fills in the request, hands it to the adapter, and continues when asynchronous
 * handlers or non-blocking streams require it. Used by one exchange at a time, and
 * reused.
 */
final class ExchangeProcessor extends AbstractProcessor {

	private static final Log log = LogFactory.getLog(ExchangeProcessor.class);

	private static final int BUFFER_BYTES = 8192;

	/** Line ends behind the length and the bytes of a chunk. */
	private static final int CHUNK_BYTES = 4;

	/** The chunk that ends a body, without trailers. */
	private static final int LAST_CHUNK_BYTES = 5;

	private final TomcatExchanges server;

	private final AbstractHttp11Protocol<?> protocol;

	private final ServletConnection connection = new ServletConnectionImpl("vicinal", "http/1.1", "", false);

	/** Lock like that of a socket: one thread at a time. */
	private final ReentrantLock lock = new ReentrantLock();

	private final Input input = new Input();

	private final Output output = new Output();

	/** Changed under the lock. */
	private volatile @Nullable ServerExchange exchange;

	/** Whether Tomcat enforces the time-out of an asynchronous handler. */
	private boolean waiting;

	/** Whether the response has no body, whatever is written. */
	private boolean swallows;

	/** Whether all of the response has gone to the client, whatever happens later. */
	private boolean finished;

	/** Whether the request itself names the encodings that its client accepts. */
	private boolean asksForCompression;

	ExchangeProcessor(TomcatExchanges server, AbstractHttp11Protocol<?> protocol) {
		super(protocol.getAdapter());
		this.server = server;
		this.protocol = protocol;
		this.request.getMimeHeaders().setLimit(protocol.getMaxHeaderCount());
		this.request.setInputBuffer(this.input);
		this.response.setOutputBuffer(this.output);
	}

	/** Executes an exchange; asynchronous handlers may go on afterwards. */
	void begin(ServerExchange next) {
		this.lock.lock();
		try {
			this.exchange = next;
		}
		finally {
			this.lock.unlock();
		}
		run(SocketEvent.OPEN_READ, next);
	}

	/**
	 * Does what Tomcat's connection handler does for a socket.
	 * @param event what happened
	 * @param of the exchange to which it happened: what comes late must not reach the
	 * next one
	 */
	private void run(SocketEvent event, @Nullable ServerExchange of) {
		ServerExchange ended;
		IOException problem = null;
		this.lock.lock();
		try {
			if (of == null || this.exchange != of) {
				return;
			}
			SocketState state;
			try {
				state = process(null, event);
			}
			catch (IOException | RuntimeException ex) {
				setErrorState(ErrorState.CLOSE_NOW, ex);
				state = SocketState.CLOSED;
			}
			if (state == SocketState.LONG) {
				if (!this.waiting) {
					this.waiting = true;
					this.protocol.addWaitingProcessor(this);
				}
				return;
			}
			if (this.waiting) {
				this.waiting = false;
				this.protocol.removeWaitingProcessor(this);
			}
			ended = of;
			if (!getErrorState().isIoAllowed() && !this.finished) {
				problem = new IOException("The server has closed the connection");
			}
			else if (this.output.isShort()) {
				problem = new IOException("The response is shorter than its length");
			}
			this.exchange = null;
			recycle();
		}
		finally {
			this.lock.unlock();
		}
		this.server.release(this);
		if (Thread.currentThread().isInterrupted()) {
			ended.interrupted();
		}
		ended.end(problem);
	}

	private ServerExchange current() {
		ServerExchange known = this.exchange;
		if (known == null) {
			throw new IllegalStateException("There is no exchange");
		}
		return known;
	}

	@Override
	protected SocketState service(@Nullable SocketWrapperBase<?> socket) throws IOException {
		ServerExchange served = current();
		this.request.markStartTime();
		int rejected = ExchangeRequests.fill(this.request, served, this.server);
		this.asksForCompression = served.head().fields().first("Accept-Encoding") != null;
		if (rejected != 0) {
			// A request in error reaches no application, only its error page.
			this.response.setStatus(rejected);
			setErrorState(ErrorState.CLOSE_CLEAN, null);
		}
		else {
			parseHost(this.request.getMimeHeaders().getValue("host"));
		}
		try {
			this.adapter.service(this.request, this.response);
		}
		catch (Exception ex) {
			log.error("An exchange failed in the container", ex);
			this.response.setStatus(500);
			setErrorState(ErrorState.CLOSE_CLEAN, ex);
			this.adapter.log(this.request, this.response, 0);
		}
		if (getErrorState().isError()) {
			if (getErrorState().isIoAllowed()) {
				action(ActionCode.CLOSE, null);
			}
			this.request.updateCounters();
			return SocketState.CLOSED;
		}
		if (isAsync()) {
			return SocketState.LONG;
		}
		if (!this.finished) {
			// The adapter ends no response to which nothing may be written any more, such
			// as its own redirect from the context path without a slash.
			action(ActionCode.CLOSE, null);
		}
		this.request.updateCounters();
		return SocketState.CLOSED;
	}

	/** Where the Host is empty, the port is the connector's. */
	@Override
	protected void populatePort() {
		this.request.setServerPort(this.request.getLocalPort());
	}

	/** They are not sent, as clients of HTTP/1.1 hardly ever look at them. */
	@Override
	protected boolean isTrailerFieldsSupported() {
		return !this.response.isCommitted() || this.output.chunked;
	}

	/** Prepares a response as Tomcat's processor of HTTP/1.1 does. */
	@Override
	protected void prepareResponse() {
		this.response.setCommitted(true);
		int status = this.response.getStatus();
		if (status < HttpServletResponse.SC_OK) {
			// A client would wait for the response that follows an interim one.
			setErrorState(ErrorState.CLOSE_NOW,
					new IOException("The status of a response is %d, which announces another one".formatted(status)));
			return;
		}
		MimeHeaders headers = this.response.getMimeHeaders();
		boolean entity = status >= 200 && status != 204 && status != 205 && status != 304;
		this.swallows = !entity || "HEAD".equals(this.request.getMethod());
		if (!entity) {
			this.response.setContentLength((status == 205) ? 0 : -1);
		}
		boolean compressed = entity && this.protocol.useCompression(this.request, this.response);
		if (compressed && !this.swallows && !this.asksForCompression) {
			// The client's library asked, and would undo it: to compress a response
			// between two processes of one host is of no use.
			headers.removeHeader("Content-Encoding");
			compressed = false;
		}
		if (entity || status == 204) {
			if (this.response.getContentType() != null) {
				headers.setValue("Content-Type").setString(this.response.getContentType());
			}
			if (this.response.getContentLanguage() != null) {
				headers.setValue("Content-Language").setString(this.response.getContentLanguage());
			}
		}
		frame(headers, entity, compressed);
		if (headers.getValue("Date") == null) {
			headers.addValue("Date").setString(FastHttpDateFormat.getCurrentDate());
		}
		String name = this.protocol.getServer();
		if (name != null) {
			headers.setValue("Server").setString(name);
		}
		else if (this.protocol.getServerRemoveAppProvidedValues()) {
			headers.removeHeader("server");
		}
		commit(status, headers);
	}

	/** Adds the field by which the client finds the end of the body. */
	private void frame(MimeHeaders headers, boolean entity, boolean compressed) {
		long length = this.response.getContentLengthLong();
		boolean trailers = this.response.getTrailerFields() != null;
		if (length != -1 && !trailers) {
			headers.setValue("Content-Length").setLong(length);
		}
		else if (trailers || (entity && !this.swallows && !closes(headers))) {
			headers.addValue("Transfer-Encoding").setString("chunked");
			if (!this.swallows) {
				this.output.chunked();
			}
		}
		if (compressed && !this.swallows) {
			this.output.compress();
		}
	}

	private static boolean closes(MimeHeaders headers) {
		String connection = headers.getHeader("Connection");
		return connection != null && connection.equalsIgnoreCase("close");
	}

	/** Fields of a connection that does not exist are left out. */
	private void commit(int status, MimeHeaders headers) {
		HttpFields.Builder fields = HttpFields.builder();
		int bytes = 0;
		for (int i = 0; i < headers.size(); i++) {
			String name = headers.getName(i).toString();
			if (!name.equalsIgnoreCase("Connection") && !name.equalsIgnoreCase("Keep-Alive")) {
				String value = printable(headers.getValue(i).toString());
				if (value == null) {
					log.warn("The field %s of a response has characters that HTTP cannot carry; it is left out"
						.formatted(name));
					continue;
				}
				value = ExchangeRequests.trimmed(value);
				bytes += name.length() + value.length() + 4;
				add(fields, name, value);
			}
		}
		if (bytes > this.protocol.getMaxHttpResponseHeaderSize()) {
			log.warn("The fields of a response take %d bytes, more than the limit of %d; the response is 500"
				.formatted(bytes, this.protocol.getMaxHttpResponseHeaderSize()));
			this.swallows = true;
			current().commit(new ResponseHead(HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
					HttpFields.builder().add("Date", FastHttpDateFormat.getCurrentDate()).build()));
			return;
		}
		this.output.headed(bytes);
		current().commit(new ResponseHead(status, fields.build()));
	}

	/** Adds a field as a client reads its line: a name ends at the first colon. */
	private static void add(HttpFields.Builder fields, String name, String value) {
		String written = printable(name);
		if (written == null) {
			return;
		}
		int colon = written.indexOf(':');
		if (colon < 0) {
			fields.add(written, value);
		}
		else {
			fields.add(written.substring(0, colon),
					ExchangeRequests.trimmed(written.substring(colon + 1) + ": " + value));
		}
	}

	/**
	 * Returns a value as Tomcat writes it: control characters are spaces, and what is not
	 * in ISO 8859-1 is not written at all.
	 */
	private static @Nullable String printable(String value) {
		StringBuilder clean = null;
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c > 255) {
				return null;
			}
			if ((c < ' ' && c != '\t') || c == 127) {
				clean = (clean != null) ? clean : new StringBuilder(value);
				clean.setCharAt(i, ' ');
			}
		}
		return (clean != null) ? clean.toString() : value;
	}

	@Override
	protected void finishResponse() throws IOException {
		this.output.finish();
		send();
		this.finished = getErrorState().isIoAllowed();
		if (this.finished && !this.output.isShort()) {
			current().finish();
		}
	}

	@Override
	protected void flush() throws IOException {
		this.output.flush();
		send();
	}

	/**
	 * Lets the client see what was written. Tomcat writes to no socket on a thread that
	 * is interrupted: it closes the connection, and what it has not sent is lost.
	 */
	private void send() throws IOException {
		ServerExchange of = current();
		if (Thread.currentThread().isInterrupted()) {
			of.interrupted();
			of.lose();
			throw new IOException("The thread of the request is interrupted");
		}
		of.flush();
	}

	@Override
	protected void ack(ContinueResponseTiming timing) {
		// The body comes as far as it is read, whether it was asked for or not.
	}

	@Override
	protected void earlyHints() {
		// Spring's clients do not see them.
	}

	@Override
	protected int available(boolean doRead) {
		return this.input.available();
	}

	/** A form login brings back the body of the request that it interrupted. */
	@Override
	protected void setRequestBody(ByteChunk body) {
		byte[] saved = new byte[body.getLength()];
		System.arraycopy(body.getBytes(), body.getStart(), saved, 0, saved.length);
		this.request.setInputBuffer(new Saved(ByteBuffer.wrap(saved)));
	}

	@Override
	protected void setSwallowResponse() {
		this.swallows = true;
	}

	@Override
	protected void disableSwallowRequest() {
		current().stopReading();
	}

	@Override
	protected void populateRequestAttributeRemoteHost() {
		String address = this.request.remoteAddr().toString();
		try {
			this.request.remoteHost().setString(InetAddress.getByName(address).getHostName());
		}
		catch (UnknownHostException ex) {
			this.request.remoteHost().setString(address);
		}
	}

	@Override
	protected boolean getPopulateRequestAttributesFromSocket() {
		return false;
	}

	@Override
	protected void processSocketEvent(SocketEvent event, boolean dispatch) {
		ServerExchange of = this.exchange;
		if (dispatch) {
			execute(() -> run(event, of));
		}
		else {
			run(event, of);
		}
	}

	@Override
	protected void execute(Runnable task) {
		try {
			Executor threads = this.server.executor();
			if (threads == null) {
				throw new RejectedExecutionException("the web server has stopped");
			}
			threads.execute(task);
		}
		catch (RejectedExecutionException ex) {
			log.warn("The container takes no further tasks of an exchange", ex);
			ServerExchange lost = this.exchange;
			if (lost != null) {
				lost.end(new IOException("The server has stopped"));
			}
		}
	}

	@Override
	protected void executeDispatches() {
		Iterator<DispatchType> dispatches = getIteratorAndClearDispatches();
		while (dispatches != null && dispatches.hasNext()) {
			processSocketEvent(dispatches.next().getSocketStatus(), true);
		}
	}

	@Override
	protected boolean isRequestBodyFullyRead() {
		return current().isFullyRead();
	}

	@Override
	protected void registerReadInterest() {
		ServerExchange of = current();
		of.whenReadable(() -> execute(() -> run(SocketEvent.OPEN_READ, of)));
	}

	@Override
	protected boolean isReadyForWrite() {
		ServerExchange of = current();
		return of.isWritable(() -> execute(() -> run(SocketEvent.OPEN_WRITE, of)));
	}

	@Override
	protected boolean flushBufferedWrite() {
		return !isReadyForWrite();
	}

	@Override
	protected boolean isTrailerFieldsReady() {
		return true;
	}

	@Override
	protected SocketState dispatchEndRequest() {
		return SocketState.CLOSED;
	}

	@Override
	protected ServletConnection getServletConnection() {
		return this.connection;
	}

	@Override
	protected Log getLog() {
		return log;
	}

	@Override
	public void pause() {
		// No state is kept between exchanges.
	}

	@Override
	public void recycle() {
		// A request that has started asynchronous processing after a failed write is not
		// recycled by the adapter, and would be the next one.
		this.adapter.checkRecycled(this.request, this.response);
		super.recycle();
		this.swallows = false;
		this.finished = false;
		this.output.recycle();
		this.asksForCompression = false;
		this.input.unread = -1;
		this.input.begun = false;
		this.request.recycle();
		this.response.recycle();
		this.request.setInputBuffer(this.input);
		this.response.setOutputBuffer(this.output);
	}

	/** The body of the request, not further than its length. */
	private final class Input implements InputBuffer {

		private byte @Nullable [] buffer;

		/** Remaining bytes of the announced length; -1 if it is unknown. */
		private long unread = -1;

		private boolean begun;

		private long unread() {
			if (!this.begun) {
				this.begun = true;
				this.unread = ExchangeProcessor.this.request.getContentLengthLong();
			}
			return this.unread;
		}

		@Override
		public int doRead(ApplicationBufferHandler handler) throws IOException {
			long left = unread();
			if (left == 0) {
				return -1;
			}
			byte[] target = this.buffer;
			if (target == null) {
				target = new byte[BUFFER_BYTES];
				this.buffer = target;
			}
			int count;
			try {
				count = current().read(target, 0, (left < 0) ? target.length : (int) Math.min(left, target.length));
			}
			catch (IOException ex) {
				ExchangeProcessor.this.response.action(ActionCode.CLOSE_NOW, ex);
				throw ex;
			}
			if (count < 0) {
				if (left > 0) {
					throw new EOFException("The body of the request ends %d bytes before its length".formatted(left));
				}
				return -1;
			}
			this.unread = (left < 0) ? -1 : left - count;
			handler.setByteBuffer(ByteBuffer.wrap(target, 0, count));
			return count;
		}

		@Override
		public int available() {
			return (unread() == 0) ? 0 : current().available();
		}

	}

	/** A body that is there already. */
	private static final class Saved implements InputBuffer {

		private final ByteBuffer body;

		Saved(ByteBuffer body) {
			this.body = body;
		}

		@Override
		public int doRead(ApplicationBufferHandler handler) {
			int count = this.body.remaining();
			if (count == 0) {
				return -1;
			}
			handler.setByteBuffer(this.body.slice());
			this.body.position(this.body.limit());
			return count;
		}

		@Override
		public int available() {
			return this.body.remaining();
		}

	}

	/** The body of the response, not further than its length. */
	private final class Output implements OutputBuffer {

		/** Bytes of the body, as they travel. */
		private long written;

		/** Number of bytes that chunked framing adds to a response over HTTP. */
		private long framing;

		private boolean chunked;

		private boolean compressed;

		private @Nullable GZIPOutputStream compressing;

		/** Bytes that Tomcat would keep until its buffer is full. */
		private int unsent;

		/** Whether it was full, so that what is written now leaves. */
		private boolean due;

		void chunked() {
			this.chunked = true;
		}

		void compress() {
			this.compressed = true;
		}

		private GZIPOutputStream compressing() throws IOException {
			GZIPOutputStream known = this.compressing;
			if (known == null) {
				known = new GZIPOutputStream(new Compressed(), true);
				this.compressing = known;
			}
			return known;
		}

		void recycle() {
			this.written = 0;
			this.framing = 0;
			this.chunked = false;
			this.compressed = false;
			this.compressing = null;
			this.unsent = 0;
			this.due = false;
		}

		@Override
		public int doWrite(ByteBuffer chunk) throws IOException {
			if (!ExchangeProcessor.this.response.isCommitted()) {
				ExchangeProcessor.this.response.action(ActionCode.COMMIT, null);
			}
			int count = chunk.remaining();
			if (ExchangeProcessor.this.swallows) {
				chunk.position(chunk.limit());
			}
			else if (this.compressed) {
				byte[] bytes = new byte[count];
				chunk.get(bytes);
				compressing().write(bytes, 0, count);
			}
			else {
				write(chunk);
			}
			return count;
		}

		private void write(ByteBuffer chunk) throws IOException {
			long length = this.chunked ? -1 : ExchangeProcessor.this.response.getContentLengthLong();
			int limit = chunk.limit();
			if (length >= 0 && chunk.remaining() > length - this.written) {
				chunk.limit(chunk.position() + (int) Math.max(0, length - this.written));
			}
			int count = chunk.remaining();
			try {
				if (this.chunked) {
					framed(Integer.toHexString(count).length() + CHUNK_BYTES / 2);
				}
				if (count > 0) {
					full(count);
					this.written += count;
					current().write(chunk);
				}
				if (this.chunked) {
					framed(CHUNK_BYTES / 2);
				}
				if (this.due) {
					this.due = false;
					current().sent();
				}
			}
			catch (IOException ex) {
				ExchangeProcessor.this.response.action(ActionCode.CLOSE_NOW, ex);
				throw ex;
			}
			finally {
				chunk.limit(limit);
				chunk.position(limit);
			}
		}

		private void framed(int count) throws IOException {
			full(count);
			this.framing += count;
		}

		/**
		 * Counts written bytes. Where Tomcat sends a full buffer, the thread must not be
		 * interrupted.
		 */
		private void full(int count) throws IOException {
			this.unsent += count;
			if (this.unsent > BUFFER_BYTES) {
				this.unsent %= BUFFER_BYTES;
				if (Thread.currentThread().isInterrupted()) {
					send();
				}
				this.due = true;
			}
		}

		/** Notes the head of the response, which comes first in Tomcat's buffer. */
		void headed(int bytes) {
			this.unsent += bytes;
		}

		void flush() throws IOException {
			GZIPOutputStream known = this.compressing;
			if (known != null) {
				known.flush();
			}
		}

		void finish() throws IOException {
			if (ExchangeProcessor.this.swallows) {
				return;
			}
			if (this.compressed) {
				compressing().finish();
			}
			if (this.chunked) {
				this.framing += LAST_CHUNK_BYTES;
				Supplier<Map<String, String>> trailers = ExchangeProcessor.this.response.getTrailerFields();
				if (trailers != null) {
					trailers.get()
						.forEach((name, value) -> this.framing += name.length() + value.length() + CHUNK_BYTES);
				}
			}
		}

		/** Whether a client would wait for the rest of the announced length. */
		boolean isShort() {
			return !this.chunked && !ExchangeProcessor.this.swallows && ExchangeProcessor.this.response.isCommitted()
					&& this.written < ExchangeProcessor.this.response.getContentLengthLong();
		}

		/** Number of bytes that the access log shows for HTTP. */
		@Override
		public long getBytesWritten() {
			return this.written + this.framing;
		}

		/** Receiver of a compressed body. */
		private final class Compressed extends OutputStream {

			@Override
			public void write(int value) throws IOException {
				write(new byte[] { (byte) value }, 0, 1);
			}

			@Override
			public void write(byte[] bytes, int offset, int length) throws IOException {
				Output.this.write(ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length)));
			}

		}

	}

}
