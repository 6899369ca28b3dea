package io.github.vicinal.boot.server;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.requestserver.RejectedRequestException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * One typed call on its way through the servlet container. It travels as an attribute of
 * its request. Used by one thread at a time.
 */
final class TypedCall {

	private static final Logger logger = LoggerFactory.getLogger(TypedCall.class);

	static final String ATTRIBUTE = TypedCall.class.getName();

	private final CallFrame frame;

	private final HandlerTarget target;

	private final ConnectionFacts facts;

	private final Runnable beforeWaiting;

	private final JsonMapper mapper;

	private final RequestWatch watch = new RequestWatch();

	private HandlerTarget.@Nullable Answer answer;

	private @Nullable ServletResponse response;

	private @Nullable LateResponse container;

	private boolean consumed;

	/** Until the answer is in the response. */
	private @Nullable Writing writing;

	/** Number of bytes that the answer has in the response. */
	private long length;

	private @Nullable RejectedRequestException refused;

	/** Body of the request, once something has asked for it or for its length. */
	private byte @Nullable [] body;

	/**
	 * Creates a call.
	 * @param frame what arrived
	 * @param target the handler that it is for
	 * @param facts the client's connection
	 * @param beforeWaiting called at most once, before the thread waits for a permit
	 * @param mapper writes the body if something reads it
	 */
	TypedCall(CallFrame frame, HandlerTarget target, ConnectionFacts facts, Runnable beforeWaiting, JsonMapper mapper) {
		this.frame = frame;
		this.target = target;
		this.facts = facts;
		this.beforeWaiting = beforeWaiting;
		this.mapper = mapper;
	}

	/** Returns the typed call of a request, or {@code null} if it came over HTTP. */
	static @Nullable TypedCall of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof TypedCall call
				&& request.getDispatcherType() == DispatcherType.REQUEST) ? call : null;
	}

	CallFrame frame() {
		return this.frame;
	}

	HandlerTarget target() {
		return this.target;
	}

	ConnectionFacts facts() {
		return this.facts;
	}

	Runnable beforeWaiting() {
		return this.beforeWaiting;
	}

	/** Returns the body that the request would have had. It is written once. */
	byte[] body() {
		return body(headers());
	}

	private byte[] body(RequestHeaders sent) {
		byte[] known = this.body;
		if (known == null) {
			known = this.target.request().body(this.frame, sent, this.mapper);
			this.body = known;
		}
		return known;
	}

	/** Returns the headers that the request would have had. */
	RequestHeaders headers() {
		return RequestHeaders.of(this.target.request(), this.frame, this.facts, this::body);
	}

	RequestWatch watch() {
		return this.watch;
	}

	/**
	 * Notes what the handler answered, which does not travel as bytes.
	 * @param handlersAnswer the answer
	 * @param into the response, as the handler saw it
	 * @param bytes writes the answer into the response
	 */
	void answered(HandlerTarget.Answer handlersAnswer, ServletResponse into, Writing bytes) {
		this.answer = handlersAnswer;
		this.response = into;
		this.writing = bytes;
	}

	/** Returns the response as the handler saw it. */
	@Nullable ServletResponse response() {
		return this.response;
	}

	HandlerTarget.@Nullable Answer answer() {
		return this.answer;
	}

	/** Sets the container's response. */
	void watching(LateResponse seen) {
		this.container = seen;
	}

	/** Returns whether the response has been sent, or text is being written to it. */
	boolean isResponseTouched() {
		LateResponse seen = this.container;
		return seen != null && seen.isTouched();
	}

	/** Returns the number of bytes that were written into the response. */
	long written() {
		LateResponse seen = this.container;
		return (seen != null) ? seen.getContentWritten() : 0;
	}

	/** Returns whether the answer may be written into the response, because it is not. */
	boolean isUnwritten() {
		return this.writing != null;
	}

	/**
	 * Writes the answer into the response as it would have been there when the handler
	 * returned. The container's own rules then decide what comes too late.
	 */
	void write() {
		LateResponse seen = this.container;
		if (!isSentWhole()) {
			writeNow();
		}
		else if (seen != null && isSentInOnePiece()) {
			seen.streamed();
		}
		this.writing = null;
	}

	private void writeNow() {
		Writing bytes = this.writing;
		this.writing = null;
		if (bytes == null) {
			return;
		}
		try {
			bytes.write();
			this.length = written();
		}
		catch (Exception ex) {
			logger.debug("The answer of {} cannot be written", this.target.handler(), ex);
		}
	}

	/** Ends the first run of the handler: what follows comes behind its answer. */
	void runAgain() {
		this.consumed |= !this.watch.isInPlace();
		boolean whole = isSentWhole();
		writeNow();
		LateResponse seen = this.container;
		if (whole && seen != null) {
			seen.endHere();
		}
		this.answer = null;
	}

	/** Returns whether the body has been read as arguments before. */
	boolean isConsumed() {
		return this.consumed;
	}

	/** Notes that something has replaced the answer before it was sent. */
	void replaced() {
		this.answer = null;
		this.writing = null;
	}

	/**
	 * Returns the answer if the response still says it.
	 * @param bytes the length of the response's body
	 */
	HandlerTarget.@Nullable Answer intact(int bytes) {
		HandlerTarget.Answer given = this.answer;
		return (given != null && (bytes == this.length || isText(given))) ? given : null;
	}

	/**
	 * Whether the client would have had the whole answer before something behind the
	 * handler failed, because its length was known.
	 */
	boolean isSentWhole() {
		HandlerTarget.Answer given = this.answer;
		return given != null && (given.body() == null || isText(given));
	}

	/** Returns whether the answer has a body that was sent with its length. */
	boolean isSentInOnePiece() {
		HandlerTarget.Answer given = this.answer;
		return given != null && isText(given);
	}

	/** Returns whether the container has ended the request, having sent its response. */
	boolean isEnded() {
		LateResponse seen = this.container;
		return this.watch.hasReturned() && (isSentInOnePiece() || (seen != null && seen.isWhole()));
	}

	private static boolean isText(HandlerTarget.Answer given) {
		return (given.body() instanceof CharSequence text && !text.isEmpty())
				|| (given.body() instanceof byte[] bytes && bytes.length > 0);
	}

	/** Notes that nobody waits for the call any more. */
	void refused(RejectedRequestException why) {
		this.refused = why;
	}

	@Nullable RejectedRequestException refused() {
		return this.refused;
	}

	/** Writes what the handler returned, as Spring MVC does. */
	@FunctionalInterface
	interface Writing {

		void write() throws Exception;

	}

}
