package io.github.vicinal.boot.server;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.vicinal.boot.contract.MethodStructure;
import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.codec.JsonStructure;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The handlers of an application by their structure: those that are mapped by HTTP method
 * and one path alone. Immutable and thread-safe.
 */
final class HandlerStructures {

	private static final String NO_HANDLER = "no handler has the structure of the client's method";

	/** Stands for the method of a client's method without a handler. */
	private static final Method NONE = ClassUtils.getMethod(Object.class, "hashCode");

	private final Map<String, Candidate> byHash;

	private HandlerStructures(Map<String, Candidate> byHash) {
		this.byHash = Map.copyOf(byHash);
	}

	/**
	 * The handler of a client's method.
	 *
	 * @param handler the handler
	 * @param httpMethod the HTTP method
	 * @param shape its result
	 * @param name what requests for it count for
	 */
	record Match(Handler handler, String httpMethod, ResultShape shape, String name) {
	}

	/**
	 * A handler, whose bean may not exist yet, and one of the HTTP methods that it is
	 * mapped to.
	 */
	private record Candidate(RequestMappingInfo info, HandlerMethod method, RequestMappingHandlerMapping mapping,
			String httpMethod, ResultShape shape, String name) {

		MethodStructure structure(JsonStructure json) {
			return MethodStructure.ofHandler(this.httpMethod, this.info.getPatternValues().iterator().next(),
					this.method.getBeanType(), this.method.getMethodParameters(), this.shape, json);
		}

		Match match() {
			return new Match(HandlerLookup.handler(this.info, this.method, this.mapping), this.httpMethod, this.shape,
					this.name);
		}

	}

	/**
	 * Describes handlers.
	 * @param mappings the application's mappings
	 * @param mapper its JSON mapper
	 */
	static HandlerStructures of(Collection<RequestMappingHandlerMapping> mappings, JsonMapper mapper) {
		HandlerLookup lookup = new HandlerLookup(mappings);
		JsonStructure json = new JsonStructure(mapper);
		Map<String, Candidate> byHash = new HashMap<>();
		Set<String> ambiguous = new HashSet<>();
		for (RequestMappingHandlerMapping mapping : mappings) {
			for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
				RequestMappingInfo info = entry.getKey();
				if (!isPlain(info)) {
					continue;
				}
				HandlerMethod handler = entry.getValue();
				ResultShape shape = ResultShape.of(handler.getBeanType(), handler.getMethod());
				for (RequestMethod method : info.getMethodsCondition().getMethods()) {
					Candidate candidate = new Candidate(info, handler, mapping, method.name(), shape,
							name(lookup, info, handler));
					for (String hash : candidate.structure(json).hashes()) {
						if (byHash.putIfAbsent(hash, candidate) != null) {
							ambiguous.add(hash);
						}
					}
				}
			}
		}
		byHash.keySet().removeAll(ambiguous);
		return new HandlerStructures(byHash);
	}

	/** Whether nothing but the HTTP method and one path decides. */
	private static boolean isPlain(RequestMappingInfo info) {
		return info.getPatternValues().size() == 1 && info.getParamsCondition().isEmpty()
				&& info.getHeadersCondition().isEmpty() && info.getConsumesCondition().isEmpty()
				&& info.getProducesCondition().isEmpty() && info.getVersionCondition().isEmpty()
				&& info.getCustomCondition() == null;
	}

	/** As requests over HTTP are counted. */
	private static String name(HandlerLookup lookup, RequestMappingInfo info, HandlerMethod handler) {
		String contract = lookup.contractName(handler);
		return (contract != null) ? contract
				: info.getMethodsCondition()
					.getMethods()
					.stream()
					.map(Enum::name)
					.sorted()
					.collect(Collectors.joining(",", "", " " + info.getPatternValues().iterator().next()));
	}

	/** Finds the handler of a client's method, or returns {@code null}. */
	@Nullable Match find(String hash) {
		Candidate candidate = this.byHash.get(hash);
		return (candidate != null) ? candidate.match() : null;
	}

	/**
	 * Describes a method for a contract.
	 * @param index its index
	 * @param match its handler, or {@code null} if it has none
	 */
	static ContractMethod method(int index, @Nullable Match match) {
		if (match == null) {
			return new ContractMethod(index, NONE, "method " + index, List.of(), void.class, false, NO_HANDLER,
					Set.of());
		}
		HandlerMethod handler = match.handler().method();
		MethodParameter[] parameters = handler.getMethodParameters();
		List<Type> arguments = new ArrayList<>();
		for (MethodParameter parameter : parameters) {
			arguments.add(MethodStructure
				.boxed(GenericTypeResolver.resolveType(parameter.getGenericParameterType(), handler.getBeanType())));
		}
		Set<Integer> texts = IntStream.range(0, parameters.length)
			.filter((position) -> !parameters[position].hasParameterAnnotation(RequestBody.class))
			.boxed()
			.collect(Collectors.toSet());
		return new ContractMethod(index, handler.getMethod(), handler.getShortLogMessage(), arguments,
				MethodStructure.boxed(match.shape().valueType()), false, null, texts);
	}

}
