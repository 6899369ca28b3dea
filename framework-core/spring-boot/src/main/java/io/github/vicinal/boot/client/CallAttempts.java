package io.github.vicinal.boot.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.PeerCalls;
import io.github.vicinal.codec.CodecException;
import io.github.vicinal.codec.UnreadableJsonException;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.micrometer.context.ContextSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/** Attempts calls of one channel over typed paths. Thread-safe. */
final class CallAttempts {

	private static final Map<String, List<String>> JSON = Map.of("Content-Type", List.of("application/json"));

	/** Stands for a result that is no JSON, and that the client cannot decode. */
	private static final Reply.Failure UNREADABLE = new Reply.Failure(200, JSON, new byte[] { '?' }, "");

	private final Channel channel;

	private final List<ChannelInterceptor> interceptors;

	private final ClientTraits traits;

	private final KnownAdditions additions;

	private final ClientKind kind;

	/**
	 * Creates the attempts of a channel.
	 * @param interceptors the application's interceptors, outermost first
	 * @param traits what requests have shown of the client
	 * @param additions what the client adds to requests
	 * @param kind the kind of the client
	 */
	CallAttempts(Channel channel, List<ChannelInterceptor> interceptors, ClientTraits traits, KnownAdditions additions,
			ClientKind kind) {
		this.channel = channel;
		this.interceptors = interceptors;
		this.traits = traits;
		this.additions = additions;
		this.kind = kind;
	}

	/** Makes a call over a path, on the calling thread. */
	Attempt attempt(ClientCall call, PeerCalls calls, CallPath path) {
		Reply reply;
		try {
			sending(call);
			reply = exchange(call, calls, path);
			received(call, reply);
		}
		catch (PathException ex) {
			return failed(call, path, ex);
		}
		catch (RuntimeException | Error ex) {
			raised(call, ex);
			throw ex;
		}
		return answered(call, path, reply);
	}

	/** Returns whether a call over a path needs no thread until its answer is there. */
	boolean attemptsLater(CallPath path) {
		return path.callsLater() && this.interceptors.isEmpty();
	}

	/**
	 * Makes a call over a path without holding the calling thread.
	 * @param executor runs what may block
	 * @param completing opens the caller's context on the thread that completes the call
	 * @return the attempt, which completes on a thread of the path
	 */
	@SuppressWarnings("try")
	LaterAttempt attemptLater(ClientCall call, PeerCalls calls, CallPath path, Executor executor,
			Supplier<ContextSnapshot.Scope> completing) {
		CompletionStage<Reply> made;
		Runnable abandoning = CallAttempts::nobodyWaits;
		try {
			sending(call);
			CallFrame frame = frame(call, calls);
			abandoning = frame::abandon;
			made = calls.callLater(path, frame, executor);
		}
		catch (RuntimeException | Error ex) {
			made = CompletableFuture.failedStage(ex);
		}
		return new LaterAttempt(made.handle((reply, problem) -> {
			try (ContextSnapshot.Scope scope = completing.get()) {
				return attempted(call, path, reply, problem);
			}
		}), abandoning);
	}

	private static void nobodyWaits() {
	}

	/**
	 * An attempt that holds no thread.
	 *
	 * @param outcome completes with the attempt
	 * @param abandoning ends the attempt, because nobody waits for its outcome
	 */
	record LaterAttempt(CompletionStage<Attempt> outcome, Runnable abandoning) {
	}

	private Attempt attempted(ClientCall call, CallPath path, @Nullable Reply reply, @Nullable Throwable problem) {
		Throwable failure = (problem instanceof CompletionException && problem.getCause() != null) ? problem.getCause()
				: problem;
		if (failure instanceof PathException known) {
			return failed(call, path, known);
		}
		try {
			if (reply == null) {
				throw (failure != null) ? failure : new IllegalStateException("The path completed without a reply");
			}
			received(call, reply);
		}
		catch (RuntimeException | Error ex) {
			raised(call, ex);
			throw ex;
		}
		catch (Throwable ex) {
			raised(call, ex);
			throw new CompletionException(ex);
		}
		return answered(call, path, reply);
	}

	private static void sending(ClientCall call) {
		CallAnswer answer = call.answer();
		if (answer != null) {
			answer.sending();
		}
	}

	private static void received(ClientCall call, Reply reply) {
		CallAnswer answer = call.answer();
		if (answer != null) {
			answer.received(reply.status(), reply.headers());
		}
	}

	private static void raised(ClientCall call, Throwable raised) {
		call.observed()
			.failed(new PathException(PathException.Reason.IO, true, String.valueOf(raised.getMessage()), raised),
					raised);
	}

	private Attempt answered(ClientCall call, CallPath path, Reply received) {
		Reply reply = this.kind.received(received);
		keepCookies(call, reply);
		if (isRedirect(reply)) {
			Reply.Failure redirect = this.traits.reactive() ? null : bodyless(reply);
			if (redirect != null) {
				call.carried(path.kind(), null);
				return new Attempt.HandlerFailed(redirect);
			}
			call.plan().redirected();
			if (call.plan().method().idempotent()) {
				call.observed().answered(reply.status(), reply.headers(), null);
				return new Attempt.GoOn(MethodPlan.REDIRECTED);
			}
		}
		call.carried(path.kind(), null);
		call.plan().readable();
		if (reply instanceof Reply.Value value) {
			call.observed().answered(value.status(), value.headers(), null);
			return new Attempt.Answered(ResultAdapter.adapt(call.plan().shape(), value));
		}
		return new Attempt.HandlerFailed((Reply.Failure) reply);
	}

	private static Attempt failed(ClientCall call, CallPath path, PathException failure) {
		if (failure.reason() == PathException.Reason.CODEC && failure.maybeExecuted()) {
			call.plan().unreadable();
		}
		if (mayRepeat(call.plan(), failure)) {
			call.observed().failed(failure, failure);
			return new Attempt.GoOn("%s: %s".formatted(path.kind().id(), failure.getMessage()));
		}
		call.carried(path.kind(), null);
		return (failure.reason() == PathException.Reason.CODEC) ? new Attempt.HandlerFailed(unreadable(failure))
				: new Attempt.Unanswered(failure);
	}

	/** The response that makes the HTTP client raise what it raises for such a result. */
	private static Reply.Failure unreadable(PathException failure) {
		Throwable cause = failure.getCause();
		while (cause instanceof CodecException && !(cause instanceof UnreadableJsonException)) {
			cause = cause.getCause();
		}
		return (cause instanceof UnreadableJsonException json) ? new Reply.Failure(200, JSON, json.json(), "")
				: UNREADABLE;
	}

	private CallFrame frame(ClientCall call, PeerCalls calls) {
		return new CallFrame(this.channel.contract(), call.plan().method(), call.arguments(), call.deadline(),
				headers(calls.frameHeaders(), call.observed().headers()));
	}

	private Reply exchange(ClientCall call, PeerCalls calls, CallPath path) throws PathException {
		CallFrame frame = frame(call, calls);
		if (this.interceptors.isEmpty()) {
			return calls.call(path, frame);
		}
		return ChannelInterceptor
			.chain(this.channel.settings().name(), this.interceptors, (intercepted) -> calls.call(path, intercepted))
			.call(frame);
	}

	/** Mostly there is nothing to put together. */
	private static Map<String, String> headers(Map<String, String> added, Map<String, String> observed) {
		if (observed.isEmpty()) {
			return added;
		}
		if (added.isEmpty()) {
			return observed;
		}
		Map<String, String> all = new HashMap<>(added);
		all.putAll(observed);
		return all;
	}

	/** A call that may have been executed is repeated only if that does no harm. */
	private static boolean mayRepeat(MethodPlan plan, PathException failure) {
		return switch (failure.reason()) {
			case TIMEOUT, INTERRUPTED -> false;
			default -> !failure.maybeExecuted() || plan.method().idempotent();
		};
	}

	/** Lets the HTTP client keep the cookies of an answer that it does not see. */
	private void keepCookies(ClientCall call, Reply reply) {
		UriTemplates known = call.client().uris();
		CookieJar jar = reply.headers().isEmpty() ? null : this.additions.get().jar();
		if (jar == null || known == null) {
			return;
		}
		reply.headers().forEach((name, values) -> {
			if (name.equalsIgnoreCase(HttpHeaders.SET_COOKIE)) {
				jar.keep(known.expanded(call.plan(), call.arguments()), values);
			}
		});
	}

	/** HTTP clients may follow a redirect, somewhere below what can be replayed. */
	private static boolean isRedirect(Reply reply) {
		return reply.status() >= 300 && reply.status() < 400 && reply.status() != 304;
	}

	/** A redirect that the HTTP client can be shown, so that it follows it if it does. */
	private static Reply.@Nullable Failure bodyless(Reply reply) {
		if (reply instanceof Reply.Failure failure) {
			return failure;
		}
		return (reply instanceof Reply.Value value && value.body() == null)
				? new Reply.Failure(value.status(), value.headers(), new byte[0], "") : null;
	}

}
