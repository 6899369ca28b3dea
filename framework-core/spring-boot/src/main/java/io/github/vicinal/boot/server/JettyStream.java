package io.github.vicinal.boot.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.vicinal.exchange.ExchangeMessage;
import io.github.vicinal.exchange.ServerExchange;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.HttpChannel;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty's stream of an exchange, as its stream of HTTP/1.1 is that of a connection. Reads
 * and writes never wait: they go on when the client has sent or taken a part. Thread-safe
 * as far as a channel is: one thread reads at a time, and one writes.
 */
final class JettyStream implements HttpStream {

	private static final Logger logger = LoggerFactory.getLogger(JettyStream.class);

	private final ServerExchange exchange;

	private final HttpChannel channel;

	private final JettyConnection connection;

	private final Executor executor;

	private final int bufferBytes;

	private final boolean isHead;

	private final AtomicBoolean ended = new AtomicBoolean();

	/** Result of the next read: a failure or the end, once it has come to that. */
	private Content.@Nullable Chunk chunk;

	/** Remaining bytes of the announced length; -1 if it is unknown. */
	private long unread;

	/** Whether the client waits for a word before it sends the body. */
	private boolean expectsContinue;

	private volatile @Nullable JettyResponse response;

	/** Status of a response that announces another one. */
	private volatile int interim;

	/** Whether all of the response has been written. */
	private volatile boolean complete;

	/** Whether nothing more can be written, as to a closed socket. */
	private volatile boolean lost;

	/** A write for which the client has no room yet. */
	private final AtomicReference<@Nullable Callback> waiting = new AtomicReference<>();

	private @Nullable Supplier<HttpFields> trailers;

	/**
	 * Creates a stream.
	 * @param exchange the exchange
	 * @param request its request
	 * @param channel the channel that will execute it
	 * @param connection the connection of the channel
	 * @param executor runs what may block
	 * @param bufferBytes number of bytes of a body that are read at once
	 */
	JettyStream(ServerExchange exchange, JettyRequest request, HttpChannel channel, JettyConnection connection,
			Executor executor, int bufferBytes) {
		this.exchange = exchange;
		this.channel = channel;
		this.connection = connection;
		this.executor = executor;
		this.bufferBytes = bufferBytes;
		this.isHead = HttpMethod.HEAD.is(request.metaData().getMethod());
		this.unread = request.length();
		this.expectsContinue = request.metaData().is100ContinueExpected();
	}

	@Override
	public String getId() {
		return "0";
	}

	@Override
	public Content.@Nullable Chunk read() {
		Content.Chunk known = this.chunk;
		Content.Chunk result = (known != null) ? known : next();
		this.chunk = Content.Chunk.next(result);
		return result;
	}

	private Content.@Nullable Chunk next() {
		if (this.unread == 0) {
			return Content.Chunk.EOF;
		}
		int available = this.exchange.available();
		if (available == 0 && !this.exchange.isFullyRead()) {
			return null;
		}
		int limit = Math.min(Math.max(1, available), this.bufferBytes);
		byte[] target = new byte[(this.unread < 0) ? limit : (int) Math.min(this.unread, limit)];
		int count;
		try {
			count = this.exchange.read(target, 0, target.length);
		}
		catch (IOException ex) {
			return failed(new EarlyEndException(ex));
		}
		if (count < 0) {
			return (this.unread < 0) ? Content.Chunk.EOF : failed(new EarlyEndException(null));
		}
		this.unread = (this.unread < 0) ? -1 : this.unread - count;
		this.expectsContinue = false;
		return Content.Chunk.from(ByteBuffer.wrap(target, 0, count), false);
	}

	private Content.Chunk failed(IOException problem) {
		this.connection.endsWithResponse();
		return Content.Chunk.from(problem, true);
	}

	@Override
	public void demand() {
		if (this.chunk != null || this.unread == 0 || this.exchange.available() > 0 || this.exchange.isFullyRead()) {
			Runnable task = this.channel.onContentAvailable();
			if (task != null) {
				task.run();
			}
			return;
		}
		watch();
		this.exchange.whenReadable(() -> {
			this.connection.getEndPoint().notIdle();
			dispatch(this.channel.onContentAvailable());
		});
	}

	/** Notes that nothing happens until the client goes on, or the application. */
	private void watch() {
		this.connection.getEndPoint().watch(this::idle);
	}

	private void idle(TimeoutException timeout) {
		if (!this.ended.get()) {
			HttpChannel.IdleTimeoutTask task = this.channel.onIdleTimeout(timeout);
			if (task.handlingRequest()) {
				execute(task.action());
			}
		}
	}

	/** Notes that the handler has returned; an asynchronous one may go on. */
	void handled() {
		if (!this.ended.get()) {
			watch();
		}
	}

	/**
	 * Runs a task where it may run, which is not the thread of a path if it may block.
	 */
	private void dispatch(@Nullable Runnable task) {
		if (task == null) {
			return;
		}
		switch (Invocable.getInvocationType(task)) {
			case NON_BLOCKING -> task.run();
			case EITHER -> Invocable.invokeNonBlocking(task);
			default -> execute(task);
		}
	}

	private void execute(@Nullable Runnable task) {
		if (task == null) {
			return;
		}
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.warn("The container takes no further tasks of an exchange", ex);
			this.exchange.end(new IOException("The server has stopped"));
		}
	}

	@Override
	public void prepareResponse(HttpFields.Mutable headers) {
		// Only connections of HTTP/1.0 need a field more.
	}

	@Override
	public void send(MetaData.Request request, MetaData.@Nullable Response head, boolean last,
			@Nullable ByteBuffer content, Callback callback) {
		if (head != null && HttpStatus.isInformational(head.getStatus())) {
			interim(head.getStatus(), last);
			callback.succeeded();
			return;
		}
		if (head == null && !last && (content == null || !content.hasRemaining())) {
			callback.succeeded();
			return;
		}
		if (this.lost) {
			callback.failed(new EofException("The connection is closed"));
			return;
		}
		if (head != null && !begin(head, last, (content != null) ? content.remaining() : 0, callback)) {
			return;
		}
		JettyResponse begun = this.response;
		ByteBuffer body = (content != null) ? content : ByteBuffer.allocate(0);
		if (begun == null || !begun.hasBody()) {
			body.position(body.limit());
		}
		write(body, last, callback, false);
	}

	/** Clients of exchanges do not see responses that announce another one. */
	private void interim(int status, boolean last) {
		if (status == HttpStatus.CONTINUE_100) {
			this.expectsContinue = false;
		}
		if (last) {
			this.interim = status;
		}
	}

	private boolean begin(MetaData.Response head, boolean last, int contentBytes, Callback callback) {
		if (this.response != null) {
			callback.failed(new IllegalStateException("Committed"));
			return false;
		}
		if (this.expectsContinue) {
			this.connection.endsWithResponse();
		}
		JettyResponse begun;
		try {
			begun = JettyResponse.of(head, this.isHead, contentBytes, last, this.connection.isPersistent(),
					maxHeadBytes(this.connection.getHttpConfiguration()));
		}
		catch (HttpException.RuntimeException ex) {
			callback.failed(ex);
			return false;
		}
		if (!begun.isPersistent()) {
			this.connection.endsWithResponse();
		}
		this.trailers = begun.isChunked() ? head.getTrailersSupplier() : null;
		this.response = begun;
		this.exchange.commit(begun.head());
		return true;
	}

	private static int maxHeadBytes(HttpConfiguration config) {
		return (config.getMaxResponseHeaderSize() > 0) ? config.getMaxResponseHeaderSize()
				: config.getResponseHeaderSize();
	}

	/**
	 * Writes as much as the client has room for, and goes on when it has room again.
	 * @param later whether that is so, on a thread of the path
	 */
	private void write(ByteBuffer content, boolean last, Callback callback, boolean later) {
		try {
			while (content.hasRemaining()) {
				int count = Math.min(content.remaining(), ExchangeMessage.PART_BYTES);
				ByteBuffer part = content.slice(content.position(), count);
				this.waiting.set(callback);
				if (!this.exchange.offer(part, () -> goOn(content, last, callback))) {
					watch();
					return;
				}
				this.waiting.set(null);
				content.position(content.position() + count);
			}
		}
		catch (IOException ex) {
			this.waiting.set(null);
			complete(callback, ex, later);
			return;
		}
		if (last) {
			Supplier<HttpFields> supplier = this.trailers;
			if (supplier != null) {
				logger.debug("Trailers are not sent: {}", supplier.get());
			}
			this.complete = this.response != null;
			noteInterrupt();
			this.exchange.finish();
		}
		this.exchange.flush();
		complete(callback, null, later);
	}

	private void goOn(ByteBuffer content, boolean last, Callback callback) {
		if (this.waiting.compareAndSet(callback, null) && !this.ended.get()) {
			this.connection.getEndPoint().notIdle();
			write(content, last, callback, true);
		}
	}

	@Override
	public Runnable cancelSend(Throwable cause, Callback appCallback) {
		return () -> {
			this.lost = true;
			Callback write = this.waiting.getAndSet(null);
			((write != null) ? Callback.combine(write, appCallback) : appCallback).failed(cause);
		};
	}

	private void complete(Callback callback, @Nullable IOException problem, boolean later) {
		Runnable task = (problem != null) ? () -> callback.failed(problem) : callback::succeeded;
		if (later) {
			dispatch(Invocable.from(callback.getInvocationType(), task));
		}
		else {
			task.run();
		}
	}

	@Override
	public long getIdleTimeout() {
		return this.connection.getEndPoint().getIdleTimeout();
	}

	@Override
	public void setIdleTimeout(long idleTimeoutMs) {
		this.connection.getEndPoint().setIdleTimeout(idleTimeoutMs);
	}

	@Override
	public boolean isCommitted() {
		return this.response != null || this.ended.get();
	}

	@Override
	public @Nullable Throwable consumeAvailable() {
		Throwable left = HttpStream.consumeAvailable(this, this.connection.getHttpConfiguration());
		if (left != null) {
			this.connection.endsWithResponse();
			if (this.chunk != null) {
				this.chunk.release();
			}
			this.chunk = Content.Chunk.from(left, true);
		}
		return left;
	}

	@Override
	public void succeeded() {
		if (end()) {
			this.channel.recycle();
			this.exchange.end(problem(null));
		}
	}

	@Override
	public void failed(Throwable failure) {
		if (end()) {
			this.channel.setHttpStream(null);
			this.exchange.end(problem(failure));
		}
	}

	private boolean end() {
		if (!this.ended.compareAndSet(false, true)) {
			return false;
		}
		this.connection.getEndPoint().ended();
		noteInterrupt();
		return true;
	}

	private void noteInterrupt() {
		if (Thread.currentThread().isInterrupted()) {
			this.exchange.interrupted();
		}
	}

	/** Returns why the response is not complete, {@code null} if it is. */
	private @Nullable IOException problem(@Nullable Throwable failure) {
		if (this.complete) {
			return null;
		}
		if (this.interim != 0) {
			// A client would wait for the response that follows.
			return new IOException(
					"The status of a response is %d, which announces another one".formatted(this.interim));
		}
		return new IOException("The server has closed the connection", failure);
	}

	/** The client has gone, or has sent less than it announced. */
	private static final class EarlyEndException extends EofException implements HttpException {

		private static final long serialVersionUID = 1;

		EarlyEndException(@Nullable IOException cause) {
			super("Early EOF", cause);
		}

		@Override
		public int getCode() {
			return HttpStatus.BAD_REQUEST_400;
		}

		@Override
		public String getReason() {
			return "Early EOF";
		}

	}

}
