package io.github.vicinal.boot.contract;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.vicinal.boot.contract.ArgumentRules.RuleOrReason;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.AffinityChannel.Idempotence;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Reads contracts from {@code @HttpExchange} interfaces. Immutable and thread-safe.
 */
public final class ExchangeContractReader implements ContractReader {

	private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

	private final @Nullable AffinityChannel said;

	private ExchangeContractReader(@Nullable AffinityChannel said) {
		this.said = said;
	}

	/**
	 * Reads a contract of which only its own annotations say something.
	 * @param type an interface
	 * @return the contract; without methods if none has {@code @HttpExchange}
	 */
	public static Contract contract(Class<?> type) {
		return contract(type, AnnotatedElementUtils.findMergedAnnotation(type, AffinityChannel.class));
	}

	/**
	 * Reads a contract.
	 * @param type an interface
	 * @param said what is said of it, on itself or elsewhere, or {@code null}
	 * @return the contract; without methods if none has {@code @HttpExchange}
	 */
	public static Contract contract(Class<?> type, @Nullable AffinityChannel said) {
		return Contract.of(type, new ExchangeContractReader(said));
	}

	@Override
	public @Nullable MethodDescription read(Class<?> contract, Method method) {
		HttpExchange exchange = exchange(method);
		if (exchange == null) {
			return null;
		}
		List<Type> arguments = new ArrayList<>();
		List<RuleOrReason> rules = new ArrayList<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			Type type = GenericTypeResolver.resolveType(method.getGenericParameterTypes()[i], contract);
			arguments.add(type);
			rules.add(ArgumentRules.of(new SynthesizingMethodParameter(method, i).withContainingClass(contract), type,
					contentType(contract, method), path(contract, method)));
		}
		ResultShape shape = ResultShape.of(contract, method);
		AffinityChannel channel = AnnotatedElementUtils.findMergedAnnotation(method, AffinityChannel.class);
		return new MethodDescription(arguments, shape.valueType(),
				idempotent(httpMethod(contract, method), channel, this.said),
				httpOnlyReason(contract, method, exchange, rules, arguments, shape, channel), textArguments(method));
	}

	private static Set<Integer> textArguments(Method method) {
		return IntStream.range(0, method.getParameterCount())
			.filter((position) -> !new SynthesizingMethodParameter(method, position)
				.hasParameterAnnotation(RequestBody.class))
			.boxed()
			.collect(Collectors.toSet());
	}

	private static @Nullable HttpExchange exchange(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, HttpExchange.class);
	}

	/**
	 * Returns the HTTP method of a contract method.
	 * @param contract the contract
	 * @param method the method
	 * @return for instance {@code GET}; empty if the annotation leaves it open
	 */
	public static String httpMethod(Class<?> contract, Method method) {
		HttpExchange exchange = exchange(method);
		String name = (exchange != null) ? exchange.method() : "";
		if (name.isEmpty()) {
			HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
			name = (type != null) ? type.method() : "";
		}
		return name.toUpperCase(Locale.ROOT);
	}

	/**
	 * Returns the media type of a contract method's body, as its annotations say it.
	 * @param contract the contract
	 * @param method the method
	 * @return a media type, or empty
	 */
	public static String contentType(Class<?> contract, Method method) {
		HttpExchange exchange = exchange(method);
		if (exchange != null && !exchange.contentType().isEmpty()) {
			return exchange.contentType();
		}
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		return (type != null) ? type.contentType() : "";
	}

	/**
	 * Returns the URI template of a contract method, as its annotations say it.
	 * @param contract the contract
	 * @param method the method
	 * @return the path of the interface and of the method
	 */
	public static String path(Class<?> contract, Method method) {
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		HttpExchange exchange = exchange(method);
		String prefix = (type != null) ? type.url() : "";
		String path = (exchange != null) ? exchange.url() : "";
		if (prefix.isEmpty() || path.isEmpty()) {
			return prefix + path;
		}
		boolean slash = prefix.endsWith("/");
		return (slash && path.startsWith("/")) ? prefix + path.substring(1)
				: (slash || path.startsWith("/")) ? prefix + path : prefix + "/" + path;
	}

	/**
	 * Returns whether a call may be repeated.
	 * @param httpMethod the HTTP method
	 * @param ofMethod what is said of the method, or {@code null}
	 * @param said what is said of the contract, or {@code null}
	 */
	static boolean idempotent(String httpMethod, @Nullable AffinityChannel ofMethod, @Nullable AffinityChannel said) {
		Idempotence idempotence = idempotence(ofMethod);
		return switch ((idempotence != Idempotence.BY_HTTP_METHOD) ? idempotence : idempotence(said)) {
			case YES -> true;
			case NO -> false;
			case BY_HTTP_METHOD -> REPEATABLE.contains(httpMethod);
		};
	}

	private static Idempotence idempotence(@Nullable AffinityChannel channel) {
		return (channel != null) ? channel.idempotent() : Idempotence.BY_HTTP_METHOD;
	}

	private static @Nullable String httpOnlyReason(Class<?> contract, Method method, HttpExchange exchange,
			List<RuleOrReason> rules, List<Type> arguments, ResultShape shape, @Nullable AffinityChannel channel) {
		String annotated = HttpOnlyReasons.annotated(channel);
		if (annotated != null) {
			return annotated;
		}
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		if (!exchange.version().isEmpty() || (type != null && !type.version().isEmpty())) {
			return "the server routes it by API version";
		}
		if (exchange.headers().length > 0 || (type != null && type.headers().length > 0)) {
			return "its annotation sets headers";
		}
		String common = HttpOnlyReasons.of(method, httpMethod(contract, method), rules, arguments, shape);
		if (common != null) {
			return common;
		}
		for (String media : exchange.accept()) {
			if (!isPlain(media)) {
				return "the result is " + media;
			}
		}
		String contentType = contentType(contract, method);
		return (!contentType.isEmpty() && !isPlain(contentType)) ? "the body is " + contentType : null;
	}

	private static boolean isPlain(String media) {
		MediaType type = MediaType.parseMediaType(media);
		return type.isCompatibleWith(MediaType.APPLICATION_JSON) || type.isCompatibleWith(MediaType.TEXT_PLAIN)
				|| type.equals(MediaType.APPLICATION_OCTET_STREAM);
	}

}
