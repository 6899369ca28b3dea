package io.github.vicinal.boot.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import jakarta.servlet.ServletConnection;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.ContinueResponseTiming;
import org.apache.coyote.InputBuffer;
import org.apache.coyote.OutputBuffer;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.buf.ByteChunk;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.ApplicationBufferHandler;
import org.apache.tomcat.util.net.DispatchType;
import org.apache.tomcat.util.net.ServletConnectionImpl;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Processor of typed calls for Tomcat's adapter: it fills in the request, and collects
 * the response. Used by one call at a time, and reused.
 */
final class TomcatExchange extends AbstractProcessor implements InputBuffer, OutputBuffer {

	/** Headers about the connection or the length, which a reply does not have. */
	private static final Set<String> NOT_IN_REPLIES = Set.of("connection", "keep-alive", "transfer-encoding",
			"content-length", "date");

	private static final int MAX_KEPT_BYTES = 64 * 1024;

	/** Interval between looks whether asynchronous processing has timed out. */
	private static final long TIMEOUT_CHECK_MILLIS = 100;

	private static final Log log = LogFactory.getLog(TomcatExchange.class);

	private final ServletConnection connection = new ServletConnectionImpl("vicinal", "http/1.1", "", false);

	private final AbstractHttp11Protocol<?> protocol;

	/** Events of the request's asynchronous processing. */
	private final BlockingQueue<SocketEvent> events = new LinkedBlockingQueue<>();

	private ByteArrayOutputStream body = new ByteArrayOutputStream(256);

	private Map<String, List<String>> headers = Map.of();

	private int status;

	private boolean swallows;

	/** Length of the body, -1 if it is not known before the end. */
	private long expectedBytes;

	/** The response as the container and the application see it. */
	private final LateResponse seen;

	private @Nullable TypedCall call;

	/** Unread part of the body, once something has begun to read it. */
	private @Nullable ByteBuffer input;

	TomcatExchange(Connector connector, AbstractHttp11Protocol<?> protocol, CommonHeaders common) {
		super(protocol.getAdapter());
		this.protocol = protocol;
		LateResponse late = new LateResponse(this.response, protocol.getDesiredBufferSize(), () -> this.call, common);
		org.apache.catalina.connector.Request asked = connector.createRequest(this.request);
		asked.setResponse(late);
		late.setRequest(asked);
		// The adapter makes its own where it finds none.
		this.request.setNote(CoyoteAdapter.ADAPTER_NOTES, asked);
		this.response.setNote(CoyoteAdapter.ADAPTER_NOTES, late);
		this.request.getParameters().setQueryStringCharset(connector.getURICharset());
		this.seen = late;
		this.request.getMimeHeaders().setLimit(protocol.getMaxHeaderCount());
		this.request.setInputBuffer(this);
		this.response.setOutputBuffer(this);
	}

	ServletContainer.Response serve(TypedCall served, String contextPath) throws IOException {
		this.call = served;
		served.watching(this.seen);
		try {
			fill(served, contextPath);
			this.adapter.service(this.request, this.response);
		}
		catch (IOException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IOException("The container failed", ex);
		}
		finishAsync(served);
		if (!this.response.isCommitted()) {
			prepareResponse();
		}
		ServletContainer.Response answer = ContentDecoding.decoded(
				new ServletContainer.Response(this.status, this.headers, this.body.toByteArray(),
						isShort() || (!getErrorState().isIoAllowed() && !isComplete(served))),
				this.request.getMimeHeaders().values("Accept-Encoding"));
		recycle();
		return answer;
	}

	/**
	 * Writes the container's own page.
	 * @param code the status
	 * @param languages values of the {@code Accept-Language} header
	 * @param container the valve whose settings the page has
	 */
	ServletContainer.Response errorPage(int code, List<String> languages, ErrorReportValve container) {
		languages.forEach((value) -> this.request.getMimeHeaders().addValue("accept-language").setString(value));
		this.seen.setStatus(code);
		this.seen.setError();
		new Page(container).write(this.seen.getRequest(), this.seen);
		return new ServletContainer.Response(this.status, this.headers, this.body.toByteArray(), false);
	}

	/** Gives access to the page of the container. */
	private static final class Page extends ErrorReportValve {

		Page(ErrorReportValve container) {
			setShowReport(container.isShowReport());
			setShowServerInfo(container.isShowServerInfo());
		}

		void write(org.apache.catalina.connector.Request asked, LateResponse response) {
			report(asked, response, null);
		}

	}

	/**
	 * Waits for the end of asynchronous processing that filters have started, and
	 * dispatches the request again if they want it. The container does so for a socket.
	 */
	private void finishAsync(TypedCall served) throws IOException {
		SocketState state = isAsync() ? asyncPostProcess() : SocketState.CLOSED;
		SocketEvent event = SocketEvent.OPEN_READ;
		while (state == SocketState.ASYNC_END || (state == SocketState.LONG && isAsync())) {
			if (state == SocketState.LONG) {
				event = next(served);
			}
			state = dispatch(event);
			if (state != SocketState.CLOSED && isAsync()) {
				state = asyncPostProcess();
			}
		}
	}

	private SocketEvent next(TypedCall served) throws IOException {
		boolean limited = served.frame().deadlineNanos() != CallFrame.NO_DEADLINE;
		try {
			while (!limited || served.frame().remainingNanos() + HandlerTarget.GRACE_NANOS > 0) {
				executeDispatches();
				SocketEvent event = this.events.poll(TIMEOUT_CHECK_MILLIS, TimeUnit.MILLISECONDS);
				if (event != null) {
					return event;
				}
				timeoutAsync(System.currentTimeMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new IOException("The caller has gone, so the end of asynchronous processing has no receiver");
	}

	/** Whether a client would wait in vain for the rest of the announced length. */
	private boolean isShort() {
		return !this.swallows && this.call != null && this.call.answer() == null
				&& this.body.size() < this.expectedBytes;
	}

	/**
	 * Whether a client has the whole answer although the connection is cut off: HTTP
	 * sends the length of texts and bytes beforehand.
	 */
	private boolean isComplete(TypedCall served) {
		return served.isSentInOnePiece() || (this.expectedBytes >= 0 && this.body.size() >= this.expectedBytes);
	}

	private void fill(TypedCall served, String contextPath) {
		RequestTemplate template = served.target().request();
		ConnectionFacts facts = served.facts();
		Request to = this.request;
		to.markStartTime();
		to.setMethod(template.httpMethod());
		byte[] path = (contextPath + template.path(served.frame().arguments())).getBytes(StandardCharsets.ISO_8859_1);
		to.requestURI().setBytes(path, 0, path.length);
		String query = template.query(served.frame().arguments());
		if (query != null) {
			byte[] bytes = query.getBytes(StandardCharsets.ISO_8859_1);
			to.queryString().setBytes(bytes, 0, bytes.length);
		}
		to.protocol().setString("HTTP/1.1");
		to.scheme().setString(facts.scheme());
		to.serverName().setString(facts.serverName());
		to.setServerPort(facts.serverPort());
		to.remoteAddr().setString(facts.remoteAddr());
		to.peerAddr().setString(facts.remoteAddr());
		to.localAddr().setString(facts.localAddr());
		to.localName().setString(facts.localName());
		to.setLocalPort(facts.localPort());
		to.setRemotePort(0);
		to.setSendfile(false);
		to.setAttribute(TypedCall.ATTRIBUTE, served);
		MimeHeaders fields = to.getMimeHeaders();
		served.headers()
			.all()
			.forEach((name, values) -> values.forEach((value) -> fields.addValue(name).setString(value)));
	}

	@Override
	public void recycle() {
		super.recycle();
		this.call = null;
		this.events.clear();
		this.input = null;
		this.headers = Map.of();
		this.status = 0;
		this.expectedBytes = 0;
		this.swallows = false;
		if (this.body.size() > MAX_KEPT_BYTES) {
			this.body = new ByteArrayOutputStream(256);
		}
		this.body.reset();
		this.request.recycle();
		this.response.recycle();
		this.request.setInputBuffer(this);
		this.response.setOutputBuffer(this);
	}

	/** Prepares a response as the HTTP connector does. */
	@Override
	protected void prepareResponse() {
		Response from = this.response;
		from.setCommitted(true);
		int answered = from.getStatus();
		boolean entity = answered >= 200 && answered != 204 && answered != 205 && answered != 304;
		this.swallows = !entity || "HEAD".equals(this.request.getMethod());
		this.expectedBytes = this.swallows ? 0 : from.getContentLengthLong();
		MimeHeaders written = from.getMimeHeaders();
		if (entity && this.protocol.useCompression(this.request, from)) {
			// The client's HTTP library would have decompressed the body.
			written.removeHeader("Content-Encoding");
		}
		if (this.protocol.getServer() != null) {
			written.setValue("Server").setString(this.protocol.getServer());
		}
		else if (this.protocol.getServerRemoveAppProvidedValues()) {
			written.removeHeader("Server");
		}
		if (entity || answered == 204) {
			if (from.getContentType() != null) {
				written.setValue("Content-Type").setString(from.getContentType());
			}
			if (from.getContentLanguage() != null) {
				written.setValue("Content-Language").setString(from.getContentLanguage());
			}
		}
		Map<String, List<String>> collected = new LinkedHashMap<>();
		for (int i = 0; i < written.size(); i++) {
			String name = written.getName(i).toString();
			if (!NOT_IN_REPLIES.contains(name.toLowerCase(Locale.ROOT))) {
				collected.computeIfAbsent(name, (key) -> new ArrayList<>(1)).add(written.getValue(i).toString());
			}
		}
		if (entity && this.swallows && from.getContentLengthLong() >= 0) {
			// The length that the body of a GET would have.
			collected.put("Content-Length", List.of(Long.toString(from.getContentLengthLong())));
		}
		this.headers = ResponseFields.received(collected);
		this.status = answered;
	}

	/** Applies if the connector's {@code enableLookups} is on. */
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
	protected void finishResponse() {
		// The response is taken once the adapter returns.
	}

	@Override
	protected void flush() {
		// As above.
	}

	@Override
	protected void ack(ContinueResponseTiming timing) {
		// No client waits to be asked for its body.
	}

	@Override
	protected void earlyHints() {
		// Clients of Spring do not see them.
	}

	@Override
	protected int available(boolean doRead) {
		return available();
	}

	@Override
	protected void setRequestBody(ByteChunk replayed) {
		// A form login saves requests with bodies; typed calls have none.
	}

	@Override
	protected void setSwallowResponse() {
		this.swallows = true;
	}

	@Override
	protected void disableSwallowRequest() {
		// There is no body to be read.
	}

	@Override
	protected boolean isRequestBodyFullyRead() {
		return available() == 0;
	}

	@Override
	protected void registerReadInterest() {
		// The body never has anything to read.
	}

	@Override
	protected boolean isReadyForWrite() {
		return true;
	}

	@Override
	protected boolean flushBufferedWrite() {
		return false;
	}

	@Override
	protected boolean isTrailerFieldsReady() {
		return true;
	}

	@Override
	protected ServletConnection getServletConnection() {
		return this.connection;
	}

	/** Wakes up the thread of the call. */
	@Override
	protected void processSocketEvent(SocketEvent event, boolean dispatch) {
		this.events.add(event);
	}

	@Override
	protected void executeDispatches() {
		Iterator<DispatchType> wanted = getIteratorAndClearDispatches();
		if (wanted != null) {
			wanted.forEachRemaining((type) -> this.events.add(type.getSocketStatus()));
		}
	}

	@Override
	protected void execute(Runnable task) {
		this.protocol.getExecutor().execute(task);
	}

	@Override
	protected SocketState service(SocketWrapperBase<?> socket) {
		throw new IllegalStateException("There is no socket");
	}

	@Override
	protected SocketState dispatchEndRequest() {
		return SocketState.CLOSED;
	}

	@Override
	protected Log getLog() {
		return log;
	}

	@Override
	public void pause() {
		// No state is kept between calls.
	}

	@Override
	public int doRead(ApplicationBufferHandler handler) {
		TypedCall served = this.call;
		if (served == null || isRead(served)) {
			return -1;
		}
		ByteBuffer rest = unread(served);
		int length = rest.remaining();
		if (length == 0) {
			return -1;
		}
		handler.setByteBuffer(rest.duplicate());
		rest.position(rest.limit());
		return length;
	}

	/** Whether the arguments have been read. */
	private static boolean isRead(TypedCall served) {
		return served.isConsumed() || (served.watch().isHandling() && !served.watch().isInPlace());
	}

	private ByteBuffer unread(TypedCall served) {
		ByteBuffer rest = this.input;
		if (rest == null) {
			served.watch().httpOnly("something in front of the application reads the body of the request");
			rest = ByteBuffer.wrap(served.body());
			this.input = rest;
		}
		return rest;
	}

	@Override
	public int available() {
		TypedCall served = this.call;
		return (served != null && !isRead(served)) ? unread(served).remaining() : 0;
	}

	@Override
	public int doWrite(ByteBuffer chunk) {
		if (!this.response.isCommitted()) {
			prepareResponse();
		}
		int length = chunk.remaining();
		if (this.swallows) {
			chunk.position(chunk.limit());
			return length;
		}
		long end = this.response.getContentLengthLong();
		int wanted = (end >= 0) ? (int) Math.max(0, Math.min(length, end - this.body.size())) : length;
		byte[] bytes = new byte[wanted];
		chunk.get(bytes);
		this.body.write(bytes, 0, wanted);
		chunk.position(chunk.limit());
		return length;
	}

	@Override
	public long getBytesWritten() {
		return this.body.size();
	}

}
