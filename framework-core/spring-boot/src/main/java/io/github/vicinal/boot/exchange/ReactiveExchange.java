package io.github.vicinal.boot.exchange;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ResponseHead;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpMethod;

/**
 * An exchange of a reactive client: waits on threads of its own, and gives them back
 * while there is nothing to wait for. Thread-safe.
 */
final class ReactiveExchange {

	private static final int READ_BYTES = 16 * 1024;

	private final Exchanges exchanges;

	private final ExchangeThreads threads;

	private final ReactiveExchangeRequest request;

	private final RequestHead head;

	private final ReactiveLibrary library;

	private final long timeoutNanos;

	/** Guards what is to be closed. */
	private final ReentrantLock lock = new ReentrantLock();

	private final AtomicBoolean permitted = new AtomicBoolean(true);

	private @Nullable ClientExchange exchange;

	private @Nullable PartsOutput parts;

	private @Nullable BodySender sender;

	private boolean closed;

	/** The body, if nobody has taken it. */
	private volatile byte @Nullable [] unsent;

	/** The rest of the response, if all of it is here. */
	private volatile byte @Nullable [] rest;

	/**
	 * Creates an exchange, which has a permit.
	 * @param exchanges makes it
	 * @param threads its threads
	 * @param request the request
	 * @param head the head of the request
	 * @param library the library that would send it
	 */
	ReactiveExchange(Exchanges exchanges, ExchangeThreads threads, ReactiveExchangeRequest request, RequestHead head,
			ReactiveLibrary library) {
		this.exchanges = exchanges;
		this.threads = threads;
		this.request = request;
		this.head = head;
		this.library = library;
		Duration timeout = library.timeout();
		this.timeoutNanos = (timeout != null) ? timeout.toNanos() : ClientExchange.NO_TIMEOUT;
	}

	/**
	 * Sends the request.
	 * @param client chooses the path
	 * @param address of the server
	 * @return the head of the response, nothing if the request goes over HTTP instead
	 */
	Mono<ResponseHead> send(ExchangeClient client, String address) {
		return Mono.create((sink) -> {
			sink.onCancel(this::close);
			this.threads.execute(() -> {
				try {
					ExchangeClient.Route route = client.route(address, Exchanges.isIdempotent(this.head.method()),
							this.library.name());
					if (route == null) {
						none(sink);
						return;
					}
					Publisher<? extends DataBuffer> body = this.request.body();
					if (body == null) {
						made(this.exchanges.make(route, this.head, null, this.timeoutNanos, Repetition.OF_SAFE), sink);
					}
					else {
						send(route, body, sink);
					}
				}
				catch (IOException | RuntimeException | Error ex) {
					failed(ex, sink);
				}
			});
		});
	}

	private void send(ExchangeClient.Route route, Publisher<? extends DataBuffer> body, MonoSink<ResponseHead> sink) {
		PartsOutput out = new PartsOutput(route, this.head, this.timeoutNanos);
		BodySender sending = new BodySender(out, this.threads, sink.contextView(), this.request.length(),
				body instanceof Mono, new BodySender.Outcome() {

					@Override
					public void sent() {
						end(out, sink);
					}

					@Override
					public void failed(Throwable failure) {
						if (failure instanceof PartsOutput.UnsentException taken) {
							unsent(taken, out, sink);
						}
						else {
							out.abort();
							ReactiveExchange.this.failed(failure, sink);
						}
					}

				});
		this.lock.lock();
		try {
			this.parts = out;
			this.sender = sending;
			if (this.closed) {
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		sending.start(body);
	}

	private void end(PartsOutput out, MonoSink<ResponseHead> sink) {
		try {
			made(this.exchanges.took(out.route(), out.end()), sink);
		}
		catch (PartsOutput.UnsentException ex) {
			unsent(ex, out, sink);
		}
		catch (IOException | RuntimeException | Error ex) {
			failed(ex, sink);
		}
	}

	private void unsent(PartsOutput.UnsentException problem, PartsOutput out, MonoSink<ResponseHead> sink) {
		try {
			Exchanges.failed(problem.failure(), this.head, out.isWhole(),
					Repetition.OF_SAFE.includes(this.head.method(), true));
			this.unsent = out.whole();
			none(sink);
		}
		catch (IOException ex) {
			failed(ex, sink);
		}
	}

	/** Waits for the response. */
	private void made(@Nullable ClientExchange made, MonoSink<ResponseHead> sink) throws IOException {
		if (made == null) {
			none(sink);
			return;
		}
		if (!keep(made)) {
			made.close();
			return;
		}
		ResponseHead response = made.response();
		if (this.library.limitsWholeRequests()) {
			// The time-out ends with the head of the response.
			made.readTimeout(ClientExchange.NO_TIMEOUT);
		}
		if (made.isComplete()) {
			byte[] bytes = new byte[made.available()];
			if (bytes.length > 0) {
				made.read(bytes, 0, bytes.length);
			}
			this.rest = bytes;
			giveBack();
		}
		sink.success(response);
	}

	private boolean keep(ClientExchange made) {
		this.lock.lock();
		try {
			this.exchange = made;
			return !this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The request goes over HTTP. */
	private void none(MonoSink<ResponseHead> sink) {
		giveBack();
		sink.success();
	}

	private void failed(Throwable failure, MonoSink<ResponseHead> sink) {
		boolean wanted = !isClosed();
		close();
		// A cancelled exchange has no subscriber for its failure.
		if (wanted) {
			sink.error(failure);
		}
	}

	/** Returns the body of the request, if nobody has taken it. */
	@Nullable DataBuffer unsent() {
		byte[] bytes = this.unsent;
		return (bytes != null) ? this.library.buffers().wrap(bytes) : null;
	}

	/**
	 * Returns the body of the response, which is read as it is requested.
	 * @param status the status of the response
	 * @param encoding how the library finds it compressed, or {@code null}
	 */
	Flux<DataBuffer> body(int status, @Nullable String encoding) {
		byte[] known = this.rest;
		boolean none = this.request.getMethod().equals(HttpMethod.HEAD) || status < 200 || status == 204
				|| status == 304;
		if (none || (known != null && known.length == 0)) {
			close();
			return Flux.empty();
		}
		if (known != null) {
			return Flux.defer(() -> decoded(known, encoding));
		}
		return Flux.create((sink) -> {
			Reader reader = new Reader(sink, encoding);
			sink.onCancel(this::close);
			sink.onRequest((count) -> reader.work());
		});
	}

	private Flux<DataBuffer> decoded(byte[] known, @Nullable String encoding) {
		if (encoding == null) {
			return Flux.just(this.library.buffers().wrap(known));
		}
		try {
			return Flux.just(this.library.buffers()
				.wrap(BodyDecoding.decoded(new ByteArrayInputStream(known), encoding).readAllBytes()));
		}
		catch (IOException ex) {
			return Flux.error(ex);
		}
	}

	private boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void giveBack() {
		if (this.permitted.getAndSet(false)) {
			this.threads.giveBack();
		}
	}

	/** Aborts the exchange if it has not ended. Never blocks. */
	void close() {
		ClientExchange made;
		PartsOutput out;
		BodySender sending;
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.closed = true;
			made = this.exchange;
			out = this.parts;
			sending = this.sender;
		}
		finally {
			this.lock.unlock();
		}
		if (this.rest != null) {
			return;
		}
		if ((made == null && out == null) || (made != null && made.isComplete())) {
			giveBack();
			return;
		}
		this.threads.execute(() -> {
			try {
				if (sending != null) {
					sending.dispose();
				}
				if (made != null) {
					made.close();
				}
				else if (out != null) {
					out.abort();
				}
			}
			finally {
				giveBack();
			}
		});
	}

	/** Reads the body of the response while it is requested. */
	private final class Reader implements Runnable {

		private final FluxSink<DataBuffer> sink;

		private final @Nullable String encoding;

		private @Nullable InputStream in;

		private final AtomicInteger work = new AtomicInteger();

		private boolean ended;

		Reader(FluxSink<DataBuffer> sink, @Nullable String encoding) {
			this.sink = sink;
			this.encoding = encoding;
		}

		private InputStream in() throws IOException {
			InputStream known = this.in;
			if (known == null) {
				InputStream raw = new RawBody(Objects.requireNonNull(ReactiveExchange.this.exchange));
				known = (this.encoding != null) ? BodyDecoding.decoded(raw, this.encoding) : raw;
				this.in = known;
			}
			return known;
		}

		void work() {
			if (this.work.getAndIncrement() == 0) {
				ReactiveExchange.this.threads.execute(this);
			}
		}

		@Override
		public void run() {
			int missed = this.work.get();
			while (missed != 0) {
				while (!this.ended && this.sink.requestedFromDownstream() > 0 && !this.sink.isCancelled()) {
					read();
				}
				missed = this.work.addAndGet(-missed);
			}
		}

		private void read() {
			try {
				byte[] bytes = new byte[READ_BYTES];
				int count = in().read(bytes, 0, bytes.length);
				if (count < 0) {
					this.ended = true;
					close();
					this.sink.complete();
				}
				else {
					byte[] exact = (count < READ_BYTES / 2) ? Arrays.copyOf(bytes, count) : bytes;
					this.sink.next(ReactiveExchange.this.library.buffers().wrap(ByteBuffer.wrap(exact, 0, count)));
				}
			}
			catch (IOException | RuntimeException ex) {
				this.ended = true;
				close();
				if (!this.sink.isCancelled()) {
					this.sink.error(known(ex));
				}
			}
		}

		private Throwable known(Exception failure) {
			ReactiveLibrary library = ReactiveExchange.this.library;
			return (failure instanceof SocketException) ? library.lost(true, failure)
					: (failure instanceof SocketTimeoutException) ? library.timedOut(failure) : failure;
		}

	}

	/** The body as it comes, with the failures of the exchange. */
	private static final class RawBody extends ResponseBody {

		RawBody(ClientExchange exchange) {
			super(exchange);
		}

		@Override
		IOException cutOff(SocketException failure) {
			return failure;
		}

	}

}
