package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.context.request.ServletRequestAttributes;

import io.github.vicinal.channel.CallFrame;
import io.github.vicinal.channel.Reply;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RefusedRequestException;
import io.github.vicinal.requestserver.Turn;
import io.github.vicinal.server.Service;

/** A contract that a controller of Spring MVC implements. Thread-safe. */
final class MvcService implements Service {

	private final Contract contract;

	private final List<@Nullable HandlerTarget> targets;

	private final String refusal;

	private final Map<Integer, String> httpOnlyMethods;

	private final Environment environment;

	private final Priority priority;

	/**
	 * What the services of an application share.
	 *
	 * @param servletContext the application's servlet context
	 * @param codecs its codecs
	 * @param isolation keeps the caller's thread state away
	 * @param observation observes calls
	 * @param failures turns exceptions into responses
	 * @param turns lets so many calls run at once
	 */
	record Environment(ServletContext servletContext, Codecs codecs, ThreadIsolation isolation,
			ServerObservation observation, HandlerFailures failures, RequestTurns turns) {
	}

	/**
	 * Creates a service.
	 * @param contract the contract
	 * @param targets the handler of each contract method, by index; {@code null} for
	 * methods that must come by HTTP
	 * @param refusal why only HTTP may be used, or empty
	 * @param httpOnlyMethods why some methods must come by HTTP, by their index
	 * @param environment what the services of an application share
	 */
	MvcService(Contract contract, List<@Nullable HandlerTarget> targets, String refusal,
			Map<Integer, String> httpOnlyMethods, Environment environment) {
		this.contract = contract;
		this.targets = Collections.unmodifiableList(new ArrayList<>(targets));
		this.refusal = refusal;
		this.httpOnlyMethods = Map.copyOf(httpOnlyMethods);
		this.environment = environment;
		this.priority = environment.turns().priority(contract.name());
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
		return this.httpOnlyMethods;
	}

	@Override
	public Codecs codecs() {
		return this.environment.codecs();
	}

	@Override
	public Reply.Failure unencodable(CallFrame frame, RuntimeException failure) {
		Exception asOverHttp = new HttpMessageNotWritableException("Could not write JSON: " + failure.getMessage(),
				failure);
		Reply reply = serve(frame, (target, request, response) -> this.environment.failures()
			.reply(request, response, target.handler(), asOverHttp));
		return (reply instanceof Reply.Failure answer) ? answer : Service.super.unencodable(frame, failure);
	}

	@Override
	public Reply invoke(CallFrame frame) {
		return invoke(frame, MvcService::waits);
	}

	private static void waits() {
	}

	@Override
	public Reply invoke(CallFrame frame, Runnable beforeWaiting) {
		return serve(frame, (target, request, response) -> {
			Turn turn;
			try {
				turn = this.environment.turns()
					.enter(this.contract.name(), this.priority, frame.deadlineNanos(), beforeWaiting);
			}
			catch (RefusedRequestException ex) {
				return refused(ex, response);
			}
			try (turn) {
				return RequestTurns.executed(target.invoke(frame, this.environment.failures(), request, response));
			}
		});
	}

	private static Reply refused(RefusedRequestException refused, FrameResponse response) {
		Reply.Failure failure = RequestTurns.failure(refused.refusal());
		response.setStatus(failure.status());
		return switch (refused.refusal().reason()) {
			case DEADLINE, INTERRUPTED -> throw refused;
			default -> failure;
		};
	}

	/** Answers a call in the surroundings of a request. */
	@FunctionalInterface
	private interface Answering {

		Reply answer(HandlerTarget target, FrameRequest request, FrameResponse response);

	}

	private Reply serve(CallFrame frame, Answering answering) {
		HandlerTarget target = this.targets.get(frame.method().index());
		if (target == null) {
			// Announced as such: the caller is no client of ours.
			throw new IllegalStateException("%s must be called by HTTP: %s".formatted(frame.method(),
					this.httpOnlyMethods.get(frame.method().index())));
		}
		FrameRequest request = new FrameRequest(this.environment.servletContext(), target, frame);
		FrameResponse response = new FrameResponse();
		ServletRequestAttributes attributes = new ServletRequestAttributes(request, response);
		return this.environment.isolation().run(attributes, () -> {
			try {
				return this.environment.observation()
					.observe(request, response, target, () -> answering.answer(target, request, response));
			}
			finally {
				attributes.requestCompleted();
			}
		});
	}

}
