package io.github.vicinal.exchange;

import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.exchange.ExchangeMessage.Abort;
import io.github.vicinal.exchange.ExchangeMessage.Answer;
import io.github.vicinal.exchange.ExchangeMessage.Begin;
import io.github.vicinal.exchange.ExchangeMessage.End;
import io.github.vicinal.exchange.ExchangeMessage.Pull;
import io.github.vicinal.exchange.ExchangeMessage.Push;
import io.github.vicinal.exchange.ServerExchange.Making;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.Service;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of exchanges. Thread-safe.
 * <p>
 * A small exchange begins and ends within one call, on the thread that received it. One
 * whose response or request has several parts is executed by a thread of the web server,
 * and is kept by its number until it ends, its client says that it is not wanted any
 * more, or has been silent for so long that it counts as gone.
 *
 * @since 0.1.0
 */
public final class ExchangeService implements Service {

	/** Maximum number of exchanges that are kept. */
	static final int MAX_KEPT = 4096;

	/**
	 * Time for which a call waits for the next part before it answers that there is none
	 * yet.
	 */
	static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/**
	 * Maximum number of threads that wait for further parts; others say at once that
	 * there is none, and their clients ask again.
	 */
	private static final int MAX_WAITING = 64;

	/**
	 * Time without a word of the client after which a complete response no longer keeps
	 * the server from ending.
	 */
	private static final long TAKEN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final Logger logger = LoggerFactory.getLogger(ExchangeService.class);

	private final ExchangeHandler handler;

	private final Codecs codecs;

	private final Map<Long, ServerExchange> kept = new ConcurrentHashMap<>();

	/** Exchanges that are complete for their clients, and whose handlers go on. */
	private final Set<ServerExchange> outlived = ConcurrentHashMap.newKeySet();

	private final RouteSizes sizes = new RouteSizes();

	private final SecureRandom numbers = new SecureRandom();

	private final Semaphore waiting = new Semaphore(MAX_WAITING);

	/** Number of exchanges that begin at this moment, and may be kept later. */
	private final LongAdder beginning = new LongAdder();

	private volatile boolean stopping;

	/** Whether what is in flight is lost, as after the end of its connection. */
	private volatile boolean cutOff;

	/** A client that was killed says nothing, and maybe nobody else does. */
	private final Sweeper sweeper = new Sweeper(() -> {
		sweep();
		return !this.kept.isEmpty();
	});

	private final AtomicLong nextSweep = new AtomicLong(System.nanoTime() + SWEEP_NANOS);

	/**
	 * Creates the service of an application.
	 * @param handler executes exchanges
	 * @param codecs the codecs of the application
	 */
	public ExchangeService(ExchangeHandler handler, Codecs codecs) {
		this.handler = handler;
		this.codecs = codecs;
	}

	@Override
	public Contract contract() {
		return HttpExchanges.contract();
	}

	@Override
	public Optional<String> refusal() {
		return this.handler.refusal();
	}

	@Override
	public Codecs codecs() {
		return this.codecs;
	}

	/**
	 * Returns the number of exchanges that have parts on their way.
	 * @return a count
	 */
	public int kept() {
		return this.kept.size();
	}

	@Override
	public Reply invoke(CallFrame frame) {
		return invoke(frame, () -> {
		});
	}

	@Override
	public Reply invoke(CallFrame frame, Runnable beforeWaiting) {
		Object message = frame.arguments()[0];
		try {
			if (message instanceof Begin begin) {
				this.beginning.increment();
				try {
					return value(begin(begin, frame, beforeWaiting));
				}
				finally {
					this.beginning.decrement();
				}
			}
			if (message instanceof Push push) {
				return value(push(push, beforeWaiting));
			}
			if (message instanceof Pull pull) {
				return value(pull(pull, beforeWaiting));
			}
			if (message instanceof Abort abort) {
				abort(abort);
			}
			return value(null);
		}
		catch (InterruptedIOException ex) {
			return value(new Answer(0, null, ByteBuffer.allocate(0), End.CUT_OFF));
		}
	}

	private static Reply value(@Nullable Answer answer) {
		return new Reply.Value(200, Map.of(), answer);
	}

	private Answer begin(Begin begin, CallFrame frame, Runnable beforeWaiting) throws InterruptedIOException {
		if (this.stopping) {
			throw new HttpRequiredException("the server is shutting down");
		}
		BodyPipe body;
		if (begin.last()) {
			body = BodyPipe.of(begin.body());
		}
		else {
			body = new BodyPipe();
			body.put(begin.body());
		}
		ServerExchange exchange = new ServerExchange(begin.head(),
				frame.headers().getOrDefault(PeerAnnouncement.TICKET_HEADER, ""), body, this.handler.ioTimeout());
		this.handler.check(exchange);
		// A client that has gone while it waited for this answer knows no number that it
		// could abort.
		frame.whenAbandoned(exchange::abandon);
		long shape = RouteSizes.shape(begin.head());
		// At once: its handler may go on for long.
		exchange.whenMadeInParts(() -> this.sizes.never(shape));
		if (begin.last() && this.sizes.isSmall(shape)) {
			return here(exchange, shape, frame, beforeWaiting);
		}
		return elsewhere(exchange, shape, begin.last(), frame, beforeWaiting);
	}

	private Answer here(ServerExchange exchange, long shape, CallFrame frame, Runnable beforeWaiting)
			throws InterruptedIOException {
		exchange.inline(true);
		try {
			this.handler.serveHere(exchange);
		}
		finally {
			exchange.inline(false);
		}
		boolean ended = exchange.isEnded();
		observe(exchange, shape, ended && !exchange.isInterrupted());
		if (!ended) {
			beforeWaiting.run();
		}
		return begun(exchange, frame);
	}

	private Answer elsewhere(ServerExchange exchange, long shape, boolean whole, CallFrame frame,
			Runnable beforeWaiting) throws InterruptedIOException {
		try {
			this.handler.serveElsewhere(exchange);
		}
		catch (RejectedExecutionException ex) {
			throw new HttpRequiredException("the web server takes no further requests");
		}
		beforeWaiting.run();
		if (!whole) {
			long number = number(exchange, frame);
			return (number != 0) ? room(number, exchange) : unknown();
		}
		Answer answer = begun(exchange, frame);
		if (exchange.isInterrupted()) {
			this.sizes.never(shape);
		}
		else if (answer.end() == End.COMPLETE) {
			exchange.whenOver(() -> learn(exchange, shape));
		}
		else {
			observe(exchange, shape, false);
		}
		return answer;
	}

	/** Learns from a handler that has ended: filters may have worked on. */
	private void learn(ServerExchange exchange, long shape) {
		this.outlived.remove(exchange);
		if (exchange.isInterrupted()) {
			this.sizes.never(shape);
		}
		else {
			observe(exchange, shape, true);
		}
	}

	/**
	 * Learns where the next request of a shape is executed.
	 * @param complete whether the response was complete when its handler returned, or
	 * could be answered at once
	 */
	private void observe(ServerExchange exchange, long shape, boolean complete) {
		if (exchange.making() == Making.IN_PARTS || exchange.written() > RouteSizes.SMALL_BYTES) {
			this.sizes.never(shape);
		}
		else {
			this.sizes.observe(shape, complete && exchange.making() == Making.WHOLE && !exchange.hasLingered());
		}
	}

	/** Answers once there is something to send, which may take long. */
	private Answer begun(ServerExchange exchange, CallFrame frame) throws InterruptedIOException {
		boolean limited = frame.deadlineNanos() != CallFrame.NO_DEADLINE;
		if (!exchange.awaitPart(limited ? Math.min(WAIT_NANOS, frame.remainingNanos()) : WAIT_NANOS)) {
			if (limited && frame.remainingNanos() <= 0) {
				// As a client closes its connection when it has waited for too long.
				exchange.abandon();
				return new Answer(0, null, ByteBuffer.allocate(0), End.OPEN);
			}
			return new Answer(number(exchange, frame), null, ByteBuffer.allocate(0), End.OPEN);
		}
		if (exchange.isCompleteAtOnce() || (exchange.isEnded() && exchange.written() <= ExchangeMessage.PART_BYTES)) {
			return answer(0, exchange);
		}
		long number = number(exchange, frame);
		return answer(number, exchange);
	}

	/** Keeps an exchange, unless its client has gone already. */
	private long number(ServerExchange exchange, CallFrame begun) {
		sweep();
		if (this.kept.size() >= MAX_KEPT) {
			exchange.abandon();
			logger.warn("{} exchanges are incomplete, which is the limit; a further one was aborted", MAX_KEPT);
			return 0;
		}
		while (true) {
			long number = this.numbers.nextLong();
			if (number != 0 && this.kept.putIfAbsent(number, exchange) == null) {
				if (this.cutOff) {
					forget(number, exchange);
				}
				begun.whenAbandoned(() -> forget(number, exchange));
				this.sweeper.need();
				return number;
			}
		}
	}

	private Answer answer(long number, ServerExchange exchange) {
		if (this.cutOff) {
			// A handler that is interrupted at the end of the server may still answer.
			forget(number, exchange);
			return new Answer(0, null, ByteBuffer.allocate(0), End.CUT_OFF);
		}
		Answer answer = exchange.answer(number);
		if (answer.end() != End.OPEN) {
			this.kept.remove(number);
			if (!exchange.isOver()) {
				this.outlived.add(exchange);
				exchange.whenOver(() -> this.outlived.remove(exchange));
			}
		}
		return answer;
	}

	private Answer push(Push push, Runnable beforeWaiting) throws InterruptedIOException {
		ServerExchange exchange = find(push.exchange());
		if (exchange == null) {
			return unknown();
		}
		BodyPipe body = exchange.request();
		if (push.body().hasRemaining() && !body.put(push.body())) {
			// A part that was not asked for.
			forget(push.exchange(), exchange);
			return unknown();
		}
		if (push.last()) {
			exchange.requestEnded();
			return next(push.exchange(), exchange, beforeWaiting);
		}
		if (!body.hasRoom() && !exchange.isEnded() && this.waiting.tryAcquire()) {
			try {
				beforeWaiting.run();
				return room(push.exchange(), exchange);
			}
			finally {
				this.waiting.release();
			}
		}
		return said(push.exchange(), exchange);
	}

	/** Waits until there is room for the next part of a request, or a response. */
	private Answer room(long number, ServerExchange exchange) throws InterruptedIOException {
		exchange.awaitRoomOrPart(WAIT_NANOS);
		return said(number, exchange);
	}

	private Answer said(long number, ServerExchange exchange) throws InterruptedIOException {
		if (exchange.isEnded()) {
			return answer(number, exchange);
		}
		if (exchange.request().hasRoom()) {
			return new Answer(number, null, ByteBuffer.allocate(0), End.OPEN);
		}
		if (!exchange.awaitPart(0)) {
			return new Answer(number, null, ByteBuffer.allocate(0), End.FULL);
		}
		// A handler that responds while it reads would wait for the client, and the
		// client for the handler.
		Answer part = answer(number, exchange);
		return (part.end() == End.OPEN) ? new Answer(number, part.head(), part.body(), End.FULL) : part;
	}

	private Answer pull(Pull pull, Runnable beforeWaiting) throws InterruptedIOException {
		ServerExchange exchange = find(pull.exchange());
		return (exchange != null) ? next(pull.exchange(), exchange, beforeWaiting) : unknown();
	}

	private Answer next(long number, ServerExchange exchange, Runnable beforeWaiting) throws InterruptedIOException {
		boolean there = exchange.awaitPart(0) || waits(beforeWaiting, () -> exchange.awaitPart(WAIT_NANOS));
		return there ? answer(number, exchange) : new Answer(number, null, ByteBuffer.allocate(0), End.OPEN);
	}

	/** A wait that may be refused. */
	@FunctionalInterface
	private interface Wait {

		boolean isOver() throws InterruptedIOException;

	}

	private boolean waits(Runnable beforeWaiting, Wait wait) throws InterruptedIOException {
		if (!this.waiting.tryAcquire()) {
			return false;
		}
		try {
			beforeWaiting.run();
			return wait.isOver();
		}
		finally {
			this.waiting.release();
		}
	}

	private void abort(Abort abort) {
		ServerExchange exchange = this.kept.remove(abort.exchange());
		if (exchange != null) {
			exchange.abandon();
		}
	}

	private @Nullable ServerExchange find(long number) {
		ServerExchange exchange = this.kept.get(number);
		if (exchange != null) {
			exchange.heard();
		}
		return exchange;
	}

	private void forget(long number, ServerExchange exchange) {
		this.kept.remove(number);
		exchange.abandon();
	}

	private static Answer unknown() {
		return new Answer(0, null, ByteBuffer.allocate(0), End.UNKNOWN);
	}

	/** Gives up exchanges of clients that have been silent for long. */
	private void sweep() {
		long now = System.nanoTime();
		long due = this.nextSweep.get();
		if (now - due < 0 || !this.nextSweep.compareAndSet(due, now + SWEEP_NANOS)) {
			return;
		}
		long silence = 2 * this.handler.ioTimeout().toNanos();
		this.kept.forEach((number, exchange) -> {
			if (exchange.silentNanos(now) > silence) {
				logger.debug("The client of {} has been silent for {} ms", exchange.head(),
						TimeUnit.NANOSECONDS.toMillis(exchange.silentNanos(now)));
				forget(number, exchange);
			}
		});
	}

	@Override
	public void stopAccepting() {
		this.stopping = true;
	}

	@Override
	public boolean isBusy() {
		long now = System.nanoTime();
		return this.beginning.sum() > 0 || !this.outlived.isEmpty()
				|| this.kept.values()
					.stream()
					.anyMatch((exchange) -> !exchange.isEnded() || exchange.silentNanos(now) < TAKEN_NANOS);
	}

	@Override
	public void cutOff() {
		this.cutOff = true;
		this.kept.forEach(this::forget);
	}

	/**
	 * Gives all exchanges up that have parts on their way, as the end of the web server
	 * ends its connections.
	 */
	public void close() {
		cutOff();
		this.sweeper.close();
	}

}
