package io.github.vicinal.boot.server;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import io.github.vicinal.channel.CallFrame;
import io.github.vicinal.requestserver.RefusedRequestException;

/**
 * One typed call on its way through the servlet container. It travels as an attribute of
 * its request. Used by one thread at a time.
 */
final class TypedCall {

	static final String ATTRIBUTE = TypedCall.class.getName();

	private final CallFrame frame;

	private final HandlerTarget target;

	private final ConnectionFacts facts;

	private final Runnable beforeWaiting;

	private final RequestWatch watch = new RequestWatch();

	private HandlerTarget.@Nullable Answer answer;

	private @Nullable RefusedRequestException refused;

	/**
	 * Creates a call.
	 * @param frame what arrived
	 * @param target the handler that it is for
	 * @param facts the client's connection
	 * @param beforeWaiting called at most once, before the thread waits for a permit
	 */
	TypedCall(CallFrame frame, HandlerTarget target, ConnectionFacts facts, Runnable beforeWaiting) {
		this.frame = frame;
		this.target = target;
		this.facts = facts;
		this.beforeWaiting = beforeWaiting;
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

	RequestWatch watch() {
		return this.watch;
	}

	/** Notes what the handler answered, which does not travel as bytes. */
	void answered(HandlerTarget.Answer handlersAnswer) {
		this.answer = handlersAnswer;
	}

	HandlerTarget.@Nullable Answer answer() {
		return this.answer;
	}

	/**
	 * Whether the client would have had the whole answer before something behind the
	 * handler failed, because its length was known.
	 */
	boolean isSentWhole() {
		HandlerTarget.Answer given = this.answer;
		return given != null
				&& (given.body() == null || given.body() instanceof CharSequence || given.body() instanceof byte[]);
	}

	/** Notes that nobody waits for the call any more. */
	void refused(RefusedRequestException why) {
		this.refused = why;
	}

	@Nullable RefusedRequestException refused() {
		return this.refused;
	}

}
