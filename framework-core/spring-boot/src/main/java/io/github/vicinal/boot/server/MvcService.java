package io.github.vicinal.boot.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.server.HttpRequiredException;
import io.github.vicinal.server.Service;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.http.server.PathContainer;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.LocaleContextResolver;
import org.springframework.web.servlet.LocaleResolver;

/** A contract that a controller of Spring MVC implements. Thread-safe. */
final class MvcService implements Service {

	private static final Logger logger = LoggerFactory.getLogger(MvcService.class);

	private static final String ACCEPT_LANGUAGE = "accept-language";

	private static final String LONG = "servers limit the length of paths, parameters and headers";

	private final Contract contract;

	private final List<@Nullable HandlerTarget> targets;

	private final String refusal;

	private final Map<Integer, String> httpOnlyMethods;

	private final ContractHandlers handlers;

	private final Environment environment;

	/** Priority of the calls of each method, by its index. */
	private final Priority[] priorities;

	private volatile boolean stopping;

	/**
	 * Collaborators that the services of an application share.
	 *
	 * @param servletContext the application's servlet context
	 * @param container the web server, {@code null} if no call can pass it
	 * @param codecs its codecs
	 * @param isolation keeps the caller's thread state away
	 * @param observation observes calls
	 * @param failures turns exceptions into responses
	 * @param results writes results that are no plain values
	 * @param permits gives permits
	 * @param tickets name the connections of clients
	 * @param locales resolves locales, or {@code null} if requests say them themselves
	 */
	record Environment(ServletContext servletContext, @Nullable ServletContainer container, Codecs codecs,
			ThreadIsolation isolation, ServerObservation observation, HandlerFailures failures,
			Supplier<ResultWriter> results, RequestPermits permits, ConnectionTickets tickets,
			@Nullable LocaleResolver locales) {

		/** Returns the container of a service that has targets. */
		ServletContainer requiredContainer() {
			return Objects.requireNonNull(this.container);
		}

	}

	/**
	 * Creates a service.
	 * @param contract the contract
	 * @param targets the handler of each contract method, by index; {@code null} for
	 * methods that must come by HTTP
	 * @param refusal why only HTTP may be used, or empty
	 * @param httpOnlyMethods why some methods must come by HTTP, by their index
	 * @param handlers the handlers of an interface that client and server share
	 * @param environment what the services of an application share
	 */
	MvcService(Contract contract, List<@Nullable HandlerTarget> targets, String refusal,
			Map<Integer, String> httpOnlyMethods, ContractHandlers handlers, Environment environment) {
		this.contract = contract;
		this.targets = Collections.unmodifiableList(new ArrayList<>(targets));
		this.refusal = refusal;
		this.httpOnlyMethods = Map.copyOf(httpOnlyMethods);
		this.handlers = handlers;
		this.environment = environment;
		this.priorities = targets.stream()
			.map((target) -> environment.permits().priority((target != null) ? target.permitName() : contract.name()))
			.toArray(Priority[]::new);
	}

	/**
	 * Notes that a request over HTTP has reached a handler.
	 * @param handler the handler
	 * @param httpOnly what was done to the request that typed calls cannot repeat, or
	 * {@code null}
	 */
	void seen(HandlerMethod handler, @Nullable String httpOnly) {
		for (HandlerTarget target : this.targets) {
			if (target != null && target.handler().getMethod().equals(handler.getMethod())) {
				target.seen(httpOnly);
			}
		}
	}

	/**
	 * Finds out whether typed calls of a client that shares the interface would lead
	 * where its request over HTTP has gone.
	 * @param reached what handles the request
	 * @param path the path of the request within the application, {@code null} if it is
	 * not known
	 * @return why they would lead elsewhere, or {@code null}
	 */
	@Nullable String elsewhere(Object reached, @Nullable PathContainer path) {
		return this.handlers.elsewhere(reached, path);
	}

	/**
	 * Notes where a request over HTTP has gone, for a client that shares no interface.
	 * @param call the index of the method that the client has called
	 * @param reached what handles the request
	 * @param httpOnly what was done to the request that typed calls cannot repeat, or
	 * {@code null}
	 * @return where else a typed call would have gone, or {@code null}
	 */
	@Nullable String reached(int call, Object reached, @Nullable String httpOnly) {
		HandlerTarget target = (call >= 0) ? this.targets.get(call) : null;
		if (target == null) {
			return null;
		}
		HandlerMethod matching = target.handler();
		if (!(reached instanceof HandlerMethod handler) || !matching.getMethod().equals(handler.getMethod())
				|| !matching.getBeanType().equals(handler.getBeanType())) {
			return "requests for %s reach %s".formatted(matching.getShortLogMessage(),
					(reached instanceof HandlerMethod handler) ? handler.getShortLogMessage()
							: reached.getClass().getSimpleName());
		}
		target.seen(httpOnly);
		return null;
	}

	@Override
	public Contract contract() {
		return this.contract;
	}

	@Override
	public Optional<String> refusal() {
		return this.refusal.isEmpty() ? Optional.empty() : Optional.of(this.refusal);
	}

	@Override
	public Map<Integer, String> httpOnlyMethods() {
		Map<Integer, String> methods = null;
		for (int i = 0; i < this.targets.size(); i++) {
			HandlerTarget target = this.targets.get(i);
			String reason = (target != null) ? target.httpOnly() : null;
			if (reason != null) {
				methods = (methods != null) ? methods : new TreeMap<>(this.httpOnlyMethods);
				methods.put(i, reason);
			}
		}
		return (methods != null) ? methods : this.httpOnlyMethods;
	}

	@Override
	public Codecs codecs() {
		return this.environment.codecs();
	}

	@Override
	public Reply.Failure unencodable(CallFrame frame, RuntimeException failure) {
		Exception asOverHttp = new HttpMessageNotWritableException("Could not write JSON: " + failure.getMessage(),
				failure);
		HandlerTarget target = target(frame);
		Reply reply = serve(frame, target, facts(frame), (request) -> this.environment.failures()
			.reply(request, request.response(), target.handler(), asOverHttp));
		return (reply instanceof Reply.Failure answer) ? answer : Service.super.unencodable(frame, failure);
	}

	@Override
	public Reply invoke(CallFrame frame) {
		return invoke(frame, MvcService::waits);
	}

	private static void waits() {
	}

	@Override
	public void stopAccepting() {
		this.stopping = true;
	}

	@Override
	public Reply invoke(CallFrame frame, Runnable beforeWaiting) {
		HandlerTarget target = target(frame);
		if (this.stopping) {
			throw new HttpRequiredException("the server is shutting down");
		}
		String httpOnly = target.httpOnly();
		if (httpOnly != null) {
			throw new HttpRequiredException(httpOnly);
		}
		ConnectionFacts facts = facts(frame);
		if (target.request().isLong(frame, facts, this.environment.requiredContainer().maxRequestHeaderBytes())) {
			throw new HttpRequiredException(LONG);
		}
		if (target.request().hasBody() && target.request().lacksBody(frame.arguments())) {
			throw new HttpRequiredException("a null body is sent as no body");
		}
		String otherMapping = target.otherMapping(frame.arguments());
		if (otherMapping != null) {
			throw new HttpRequiredException(otherMapping);
		}
		if (target.foreign() != null) {
			return throughPipeline(new TypedCall(frame, target, facts, beforeWaiting, codecs().mapper()));
		}
		return serve(frame, target, facts, (request) -> {
			Permit permit;
			try {
				permit = this.environment.permits()
					.enter(target.permitName(), this.priorities[frame.method().index()], request, frame, beforeWaiting);
			}
			catch (RejectedRequestException ex) {
				return refused(ex, request.response());
			}
			try (permit) {
				return RequestPermits.executed(answer(target, frame, request));
			}
		});
	}

	private HandlerTarget target(CallFrame frame) {
		HandlerTarget target = this.targets.get(frame.method().index());
		if (target == null) {
			// Announced as such: the caller is no client of ours.
			throw new HttpRequiredException("%s must be called by HTTP: %s".formatted(frame.method(),
					this.httpOnlyMethods.get(frame.method().index())));
		}
		return target;
	}

	private ConnectionFacts facts(CallFrame frame) {
		return this.environment.tickets().required(frame.headers().get(PeerAnnouncement.TICKET_HEADER));
	}

	private static Reply refused(RejectedRequestException refused, FrameResponse response) {
		Reply.Failure failure = RequestPermits.failure(refused.rejection());
		response.setStatus(failure.status());
		return switch (refused.rejection().reason()) {
			case DEADLINE, INTERRUPTED -> throw refused;
			default -> failure;
		};
	}

	/** Lets a call pass valves, filters and interceptors as an HTTP request would. */
	private Reply throughPipeline(TypedCall call) {
		ServletContainer.Response response;
		try {
			response = this.environment.isolation().run(null, () -> {
				try {
					return this.environment.requiredContainer().serve(call);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
		catch (RuntimeException ex) {
			if (call.watch().isHandling() || call.watch().isAsynchronous()) {
				// The handler has run, or may have, and must not run a second time.
				logger.error("The web server failed behind {}", call.target().handler(), ex);
				response = new ServletContainer.Response(500, Map.of(), new byte[0], true);
			}
			else {
				throw ex;
			}
		}
		RejectedRequestException refused = call.refused();
		if (refused != null) {
			throw refused;
		}
		RequestWatch watch = call.watch();
		String reason = watch.reason();
		// A rejection says nothing about requests that reach the handler.
		if (reason != null && (watch.isAsynchronous() || watch.isHandling())) {
			call.target().seen(reason);
		}
		if (ResponseFields.areTooLong(response.headers(),
				this.environment.requiredContainer().maxResponseHeaderBytes())) {
			return new Reply.Failure(500, Map.of(), new byte[0], "");
		}
		if (response.cutOff()) {
			Map<String, List<String>> headers = new LinkedHashMap<>(response.headers());
			headers.put(Reply.Failure.CUT_OFF_HEADER, List.of("true"));
			return new Reply.Failure(response.status(), headers, response.body(), "");
		}
		HandlerTarget.Answer answer = call.intact(response.body().length);
		int status = response.status();
		if (answer == null || status >= 400) {
			return new Reply.Failure(status, response.headers(), response.body(), "");
		}
		boolean empty = status == 204 || status == 205 || status == 304;
		return new Reply.Value(status, response.headers(), empty ? null : answer.body());
	}

	/** Answers a call in the surroundings of a request. */
	@FunctionalInterface
	private interface Answering {

		Reply answer(FrameRequest request);

	}

	private Reply serve(CallFrame frame, HandlerTarget target, ConnectionFacts facts, Answering answering) {
		FrameRequest request = new FrameRequest(this.environment.servletContext(), target, frame, facts,
				this.environment.requiredContainer(), codecs().mapper());
		ServletRequestAttributes attributes = new ServletRequestAttributes(request, request.response());
		return received(this.environment.isolation().run(attributes, () -> {
			setLocale(frame, target, request);
			// As over HTTP, beans of the request end before its observation does.
			return this.environment.observation().observe(request, request.response(), target, () -> {
				try {
					return answering.answer(request);
				}
				finally {
					attributes.requestCompleted();
					request.complete();
				}
			});
		}));
	}

	/** A reply with its headers as they would arrive over HTTP. */
	private Reply received(Reply reply) {
		if (ResponseFields.areTooLong(reply.headers(), this.environment.requiredContainer().maxResponseHeaderBytes())) {
			return new Reply.Failure(500, Map.of(), new byte[0], "");
		}
		Map<String, List<String>> headers = ResponseFields.received(reply.headers());
		if (headers == reply.headers()) {
			return reply;
		}
		return (reply instanceof Reply.Failure failure)
				? new Reply.Failure(failure.status(), headers, failure.body(), failure.remoteType())
				: new Reply.Value(reply.status(), headers, ((Reply.Value) reply).body());
	}

	/** The isolation has set the locale of a request that says none. */
	private void setLocale(CallFrame frame, HandlerTarget target, FrameRequest request) {
		LocaleResolver resolver = this.environment.locales();
		if (resolver instanceof LocaleContextResolver contexts) {
			LocaleContextHolder.setLocaleContext(contexts.resolveLocaleContext(request));
		}
		else if (resolver != null) {
			LocaleContextHolder.setLocaleContext(() -> resolver.resolveLocale(request));
		}
		else if (frame.headers().containsKey(ACCEPT_LANGUAGE)
				|| target.request().fixedHeaders().containsKey(ACCEPT_LANGUAGE)) {
			LocaleContextHolder.setLocaleContext(request::getLocale);
		}
	}

	private Reply answer(HandlerTarget target, CallFrame frame, FrameRequest request) {
		HandlerFailures failures = this.environment.failures();
		FrameResponse response = request.response();
		try {
			Object result = target.call(frame);
			if (request.started() != null) {
				return asynchronous(target, frame, request, result);
			}
			boolean complete = target.answersByAnnotation(response);
			if (response.isError()) {
				return failures.errorPage(request, response, "");
			}
			boolean written = response.isWritten();
			if (complete || response.isRedirected()) {
				return written(response);
			}
			// Headers that Spring derives from the value, such as its type, come too late
			// then.
			boolean late = written || response.isCommitted();
			HandlerTarget.Answer answer = late ? null : target.answer(result, request, response);
			if (answer != null) {
				return value(answer, response);
			}
			this.environment.results().get().write(result, target.handler(), request, response);
			return response.isError() ? failures.errorPage(request, response, "") : written(response);
		}
		catch (Throwable ex) {
			if (request.started() != null) {
				target.leave(HandlerAsync.REASON);
			}
			return failures.reply(request, response, target.handler(), ex);
		}
	}

	/** The handler has run, so the call ends here; later ones go over HTTP. */
	private Reply asynchronous(HandlerTarget target, CallFrame frame, FrameRequest request,
			@Nullable Object handlersResult) throws Throwable {
		target.leave(HandlerAsync.REASON);
		FrameResponse response = request.response();
		Object result = handlersResult;
		HandlerAsync.End end;
		do {
			if (!target.answersByAnnotation(response)) {
				this.environment.results().get().write(result, target.handler(), request, response);
			}
			HandlerAsync started = request.started();
			end = (started != null) ? started.await(frame) : HandlerAsync.End.COMPLETED;
			if (end == HandlerAsync.End.DISPATCHED) {
				request.dispatchedAgain();
				result = target.call(frame);
			}
		}
		while (end == HandlerAsync.End.DISPATCHED);
		if (end == HandlerAsync.End.TIMED_OUT && !response.isCommitted()) {
			response.sendError(500);
		}
		return response.isError() ? this.environment.failures().errorPage(request, response, "") : written(response);
	}

	private static Reply value(HandlerTarget.Answer answer, FrameResponse response) {
		if (answer.status() != 0) {
			response.setStatus(answer.status());
		}
		Map<String, List<String>> headers = answer.headers();
		if (!response.headers().isEmpty()) {
			headers = new LinkedHashMap<>(response.headers());
			for (Map.Entry<String, List<String>> header : answer.headers().entrySet()) {
				headers.keySet().removeIf(header.getKey()::equalsIgnoreCase);
				headers.put(header.getKey(), header.getValue());
			}
		}
		int status = response.getStatus();
		boolean empty = status == 204 || status == 205 || status == 304;
		return new Reply.Value(status, headers, empty ? null : answer.body());
	}

	/** The response as it is, for the client's HTTP stack to make of it what it would. */
	private static Reply.Failure written(FrameResponse response) {
		Map<String, List<String>> headers = response.headers();
		if (response.isShort()) {
			headers = new LinkedHashMap<>(headers);
			headers.put(Reply.Failure.CUT_OFF_HEADER, List.of("true"));
		}
		return new Reply.Failure(response.getStatus(), headers, response.body(), "");
	}

}
