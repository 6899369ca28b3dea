package io.github.vicinal.boot.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.vicinal.boot.contract.ArgumentRules.RuleOrReason;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.AffinityChannel.Idempotence;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.ContractReader;
import io.github.vicinal.path.PathKind;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.http.HttpEntity;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ValueConstants;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.util.UriBuilderFactory;

/**
 * Reads contracts from {@code @HttpExchange} interfaces. Immutable and thread-safe.
 */
public final class ExchangeContractReader implements ContractReader {

	private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

	/** Annotations of the whole contract. */
	private static final Set<String> NOT_FOR_HANDLERS = Set.of("TRACE", "CONNECT");

	private static final List<Class<? extends Annotation>> NAMED = List.of(RequestParam.class, RequestHeader.class,
			CookieValue.class, PathVariable.class);

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
		return new MethodDescription(arguments, shape.valueType(), idempotent(httpMethod(contract, method), channel),
				httpOnlyReason(contract, method, exchange, rules, arguments, shape, channel), textArguments(method));
	}

	private static Set<Integer> textArguments(Method method) {
		return IntStream.range(0, method.getParameterCount())
			.filter((position) -> !new SynthesizingMethodParameter(method, position)
				.hasParameterAnnotation(RequestBody.class))
			.boxed()
			.collect(Collectors.toSet());
	}

	/**
	 * Returns the rules of a method's arguments.
	 * @param contract the contract
	 * @param method a method that typed paths can carry
	 * @return a rule for each argument
	 */
	public static ArgumentRule[] rules(Class<?> contract, ContractMethod method) {
		ArgumentRule[] rules = new ArgumentRule[method.argumentTypes().size()];
		for (int i = 0; i < rules.length; i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method.method(), i)
				.withContainingClass(contract);
			ArgumentRule rule = ArgumentRules
				.of(parameter, method.argumentTypes().get(i), contentType(contract, method.method()),
						path(contract, method.method()))
				.rule();
			rules[i] = (rule != null) ? rule : ArgumentRule.ANY;
		}
		return rules;
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
	 * Returns the URL of a method's own annotation, where the interface names none.
	 * @param contract the contract
	 * @param method the method
	 * @return a path, a URL or a template of either; empty if the interface has one
	 */
	public static String ownUrl(Class<?> contract, Method method) {
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		HttpExchange exchange = exchange(method);
		return (exchange == null || (type != null && !type.url().isEmpty())) ? "" : exchange.url();
	}

	/**
	 * Returns which arguments may replace the base URL of the client.
	 * @param method the method
	 * @return their positions
	 */
	public static int[] urlArguments(Method method) {
		return IntStream.range(0, method.getParameterCount()).filter((position) -> {
			MethodParameter parameter = new SynthesizingMethodParameter(method, position).nestedIfOptional();
			Class<?> type = parameter.getNestedParameterType();
			return (type == URI.class || type == UriBuilderFactory.class) && Arrays
				.stream(parameter.getParameterAnnotations())
				.noneMatch((annotation) -> annotation.annotationType().getPackage() == RequestParam.class.getPackage());
		}).toArray();
	}

	/**
	 * Returns whether a contract says what media types are accepted.
	 * @param contract the contract
	 * @param method the method
	 * @return whether its annotations set the {@code Accept} header
	 */
	public static boolean hasAccept(Class<?> contract, Method method) {
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		HttpExchange exchange = exchange(method);
		return (exchange != null && exchange.accept().length > 0) || (type != null && type.accept().length > 0);
	}

	/**
	 * Returns whether a contract names an API version.
	 * @param contract the contract
	 * @param method the method
	 * @return whether its annotations do
	 */
	public static boolean hasVersion(Class<?> contract, Method method) {
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		HttpExchange exchange = exchange(method);
		return (exchange != null && !exchange.version().isEmpty()) || (type != null && !type.version().isEmpty());
	}

	/**
	 * Returns whether the requests of a method have a body.
	 * @param method the method
	 * @return whether one of its parameters is a body or a part of one
	 */
	public static boolean hasBody(Method method) {
		return IntStream.range(0, method.getParameterCount())
			.mapToObj((position) -> new SynthesizingMethodParameter(method, position))
			.anyMatch((parameter) -> parameter.hasParameterAnnotation(RequestBody.class)
					|| parameter.hasParameterAnnotation(RequestPart.class));
	}

	/**
	 * Returns the names of the variables of the path that the parameters of a method
	 * fill.
	 * @param contract the contract
	 * @param method the method
	 * @return a name, or {@code null}, for each argument
	 */
	public static @Nullable String[] pathNames(Class<?> contract, ContractMethod method) {
		@Nullable String[] names = new @Nullable String[method.argumentTypes().size()];
		for (int i = 0; i < names.length; i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method.method(), i)
				.withContainingClass(contract);
			PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
			if (variable != null) {
				parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
				names[i] = variable.name().isEmpty() ? parameter.getParameterName() : variable.name();
			}
		}
		return names;
	}

	/**
	 * Returns the names of the query parameters of a method.
	 * @param contract the contract
	 * @param method the method
	 * @return a name, or {@code null}, for each argument
	 */
	public static @Nullable String[] queryNames(Class<?> contract, ContractMethod method) {
		@Nullable String[] names = new @Nullable String[method.argumentTypes().size()];
		for (int i = 0; i < names.length; i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method.method(), i)
				.withContainingClass(contract);
			RequestParam param = parameter.getParameterAnnotation(RequestParam.class);
			if (param != null) {
				parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
				names[i] = param.name().isEmpty() ? parameter.getParameterName() : param.name();
			}
		}
		return names;
	}

	/**
	 * Returns the names of the headers that a method's arguments fill.
	 * @param contract the contract
	 * @param method the method
	 * @return a lower-case name, or {@code null}, for each argument
	 */
	public static @Nullable String[] headerNames(Class<?> contract, ContractMethod method) {
		@Nullable String[] names = new @Nullable String[method.argumentTypes().size()];
		for (int i = 0; i < names.length; i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method.method(), i)
				.withContainingClass(contract);
			RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
			if (header != null) {
				parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
				String name = header.name().isEmpty() ? parameter.getParameterName() : header.name();
				names[i] = String.valueOf(name).toLowerCase(Locale.ROOT);
			}
			else if (parameter.hasParameterAnnotation(CookieValue.class)) {
				names[i] = "cookie";
			}
		}
		return names;
	}

	/**
	 * Returns which headers have a default value that is sent for a missing argument.
	 * @param method the method
	 * @return for each argument, whether there is one
	 */
	public static boolean[] headerDefaults(ContractMethod method) {
		boolean[] defaults = new boolean[method.argumentTypes().size()];
		for (int i = 0; i < defaults.length; i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method.method(), i);
			RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
			CookieValue cookie = parameter.getParameterAnnotation(CookieValue.class);
			defaults[i] = (header != null && !header.defaultValue().equals(ValueConstants.DEFAULT_NONE))
					|| (cookie != null && !cookie.defaultValue().equals(ValueConstants.DEFAULT_NONE));
		}
		return defaults;
	}

	private boolean idempotent(String httpMethod, @Nullable AffinityChannel ofMethod) {
		Idempotence idempotence = idempotence(ofMethod);
		return switch ((idempotence != Idempotence.BY_HTTP_METHOD) ? idempotence : idempotence(this.said)) {
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
		if (channel != null && channel.paths().length > 0
				&& List.of(channel.paths()).stream().allMatch(PathKind.HTTP.id()::equalsIgnoreCase)) {
			return "the method is annotated so";
		}
		for (RuleOrReason rule : rules) {
			if (rule.reason() != null) {
				return rule.reason();
			}
		}
		String streaming = StreamingTypes.reason(shape.valueClass());
		if (streaming != null) {
			return "the result " + streaming;
		}
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(contract, HttpExchange.class);
		if (!exchange.version().isEmpty() || (type != null && !type.version().isEmpty())) {
			return "the server routes it by API version";
		}
		if (exchange.headers().length > 0 || (type != null && type.headers().length > 0)) {
			return "its annotation sets headers";
		}
		if (HttpEntity.class.isAssignableFrom(shape.valueClass())) {
			return "HTTP clients take the result for the type of a body";
		}
		if (shape.valueType() == Object.class || shape.valueType() instanceof WildcardType) {
			return "the result is declared as Object: only the value has a media type";
		}
		if (shape.envelope() == ResultShape.Envelope.OPTIONAL
				&& (shape.valueClass() == String.class || shape.valueClass() == byte[].class)) {
			return "servers write an Optional of text or bytes as JSON, and HTTP clients as a plain body";
		}
		if (shape.envelope() == ResultShape.Envelope.ENTITY && shape.valueClass() == Optional.class) {
			return "HTTP clients distinguish a response entity without a body from one of an empty Optional";
		}
		String httpMethod = httpMethod(contract, method);
		if (httpMethod.isEmpty()) {
			return "it names no HTTP method";
		}
		if (NOT_FOR_HANDLERS.contains(httpMethod)) {
			return "web servers reject the HTTP method " + httpMethod;
		}
		String shared = sharedName(method);
		if (shared != null) {
			return shared;
		}
		for (String media : exchange.accept()) {
			if (!isPlain(media)) {
				return "the result is " + media;
			}
		}
		String contentType = contentType(contract, method);
		if (!contentType.isEmpty() && !isPlain(contentType)) {
			return "the body is " + contentType;
		}
		if (hasTypeVariables(arguments, shape)) {
			return "its types are not known before the call";
		}
		return null;
	}

	/** The server gives each of them all values. */
	private static @Nullable String sharedName(Method method) {
		Set<String> names = new HashSet<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method, i);
			parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
			for (Class<? extends Annotation> kind : NAMED) {
				Annotation annotation = parameter.getParameterAnnotation(kind);
				if (annotation == null) {
					continue;
				}
				String declared = String.valueOf(AnnotationUtils.getValue(annotation, "name"));
				String name = declared.isEmpty() ? String.valueOf(parameter.getParameterName()) : declared;
				if (!names.add(kind.getSimpleName() + " " + name.toLowerCase(Locale.ROOT))) {
					return "two of its arguments are the %s %s".formatted(kind.getSimpleName(), name);
				}
			}
		}
		return null;
	}

	private static boolean isPlain(String media) {
		MediaType type = MediaType.parseMediaType(media);
		return type.isCompatibleWith(MediaType.APPLICATION_JSON) || type.isCompatibleWith(MediaType.TEXT_PLAIN)
				|| type.equals(MediaType.APPLICATION_OCTET_STREAM);
	}

	private static boolean hasTypeVariables(List<Type> arguments, ResultShape shape) {
		return arguments.stream().anyMatch((type) -> ResolvableType.forType(type).hasUnresolvableGenerics())
				|| ResolvableType.forType(shape.valueType()).hasUnresolvableGenerics();
	}

}
