package io.github.vicinal.boot.server;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.http.MediaType;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ValueConstants;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.servlet.mvc.condition.MediaTypeExpression;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Compares what a contract says with what Spring MVC makes of the controller. Clients
 * send what the contract says; a controller may repeat or replace its annotations.
 */
final class ContractAgreement {

	/** Those that say where an argument comes from. */
	private static final Set<Class<? extends Annotation>> SOURCES = Set.of(PathVariable.class, RequestParam.class,
			RequestHeader.class, CookieValue.class, RequestBody.class);

	private final Contract contract;

	private final UnaryOperator<String> placeholders;

	/**
	 * Creates the comparison.
	 * @param contract the contract
	 * @param placeholders replaces the placeholders of paths
	 */
	ContractAgreement(Contract contract, UnaryOperator<String> placeholders) {
		this.contract = contract;
		this.placeholders = placeholders;
	}

	/** Source of an argument in Spring. */
	private record Source(Class<? extends Annotation> kind, String name, boolean required, String defaultValue) {

		/** Returns what is special about this source where the contract says another. */
		@Nullable String difference(Source said) {
			if (this.kind != said.kind) {
				return "is annotated @%s and not @%s".formatted(this.kind.getSimpleName(), said.kind.getSimpleName());
			}
			if (!this.name.equals(said.name)) {
				return "has the name \"%s\" and not \"%s\"".formatted(this.name, said.name);
			}
			if (this.name.contains("${") || this.name.contains("#{")) {
				return "has the name %s, which servers resolve".formatted(this.name);
			}
			if (!this.defaultValue.equals(said.defaultValue)) {
				return "has a default value of its own";
			}
			return (this.required && !said.required) ? "requires a value" : null;
		}

	}

	/**
	 * Finds a difference.
	 * @return what the controller says differently, or {@code null}
	 */
	@Nullable String difference(ContractMethod method, Handler handler) {
		String found = mapping(method, handler);
		if (found != null) {
			return "%s is mapped %s".formatted(name(handler), found);
		}
		MethodParameter[] parameters = handler.method().getMethodParameters();
		for (int i = 0; i < parameters.length; i++) {
			found = parameter(method, i, parameters[i]);
			if (found != null) {
				return "parameter %d of %s %s".formatted(i + 1, name(handler), found);
			}
		}
		return null;
	}

	private static String name(Handler handler) {
		return handler.method().getBeanType().getSimpleName() + "." + handler.method().getMethod().getName();
	}

	private @Nullable String mapping(ContractMethod method, Handler handler) {
		RequestMappingInfo info = handler.info();
		String httpMethod = ExchangeContractReader.httpMethod(this.contract.type(), method.method());
		Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
		if (!methods.isEmpty() && methods.stream().noneMatch((each) -> each.name().equals(httpMethod))) {
			return "to the method %s and not to %s".formatted(methods, httpMethod);
		}
		String path = join(prefix(handler), ExchangeContractReader.path(this.contract.type(), method.method()));
		if (!handler.pattern().equals(path)) {
			return "to the path %s and not to %s".formatted(handler.pattern(), path);
		}
		if (!info.getParamsCondition().isEmpty()) {
			return "by the parameters %s".formatted(info.getParamsCondition());
		}
		if (!info.getHeadersCondition().isEmpty()) {
			return "by the headers %s".formatted(info.getHeadersCondition());
		}
		if (!info.getVersionCondition().isEmpty()) {
			return "to the API version %s".formatted(info.getVersionCondition());
		}
		if (info.getCustomCondition() != null) {
			return "by the condition %s".formatted(info.getCustomCondition());
		}
		String contentType = ExchangeContractReader.contentType(this.contract.type(), method.method());
		if (isOther(info.getConsumesCondition().getExpressions(),
				contentType.isEmpty() ? List.of() : List.of(contentType))) {
			return "to the content type %s".formatted(info.getConsumesCondition());
		}
		return isOther(info.getProducesCondition().getExpressions(), accepted(method))
				? "to the result %s".formatted(info.getProducesCondition()) : null;
	}

	private static boolean isOther(Set<MediaTypeExpression> registered, Collection<String> said) {
		return registered.stream().anyMatch(MediaTypeExpression::isNegated) || !registered.stream()
			.map(MediaTypeExpression::getMediaType)
			.collect(Collectors.toSet())
			.equals(said.stream().map(MediaType::parseMediaType).collect(Collectors.toSet()));
	}

	private List<String> accepted(ContractMethod method) {
		HttpExchange own = AnnotatedElementUtils.findMergedAnnotation(method.method(), HttpExchange.class);
		if (own != null && own.accept().length > 0) {
			return List.of(own.accept());
		}
		HttpExchange type = AnnotatedElementUtils.findMergedAnnotation(this.contract.type(), HttpExchange.class);
		return (type != null) ? List.of(type.accept()) : List.of();
	}

	/** Returns what the application has put before all paths of a controller. */
	private static String prefix(Handler handler) {
		Class<?> type = ClassUtils.getUserClass(handler.method().getBeanType());
		for (Map.Entry<String, Predicate<Class<?>>> prefix : handler.mapping().getPathPrefixes().entrySet()) {
			if (prefix.getValue().test(type)) {
				return prefix.getKey();
			}
		}
		return "";
	}

	private String join(String prefix, String path) {
		String first = this.placeholders.apply(prefix);
		String rest = this.placeholders.apply(path);
		if (!first.isEmpty() && !first.startsWith("/")) {
			first = "/" + first;
		}
		if (!rest.isEmpty() && !rest.startsWith("/")) {
			rest = "/" + rest;
		}
		return (first.endsWith("/") && !rest.isEmpty()) ? first + rest.substring(1) : first + rest;
	}

	private @Nullable String parameter(ContractMethod method, int index, MethodParameter parameter) {
		MethodParameter inContract = new SynthesizingMethodParameter(method.method(), index)
			.withContainingClass(this.contract.type());
		inContract.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
		parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
		List<Annotation> known = Arrays.asList(inContract.getParameterAnnotations());
		for (Annotation annotation : parameter.getParameterAnnotations()) {
			Class<? extends Annotation> type = annotation.annotationType();
			if (!SOURCES.contains(type) && isOfSpring(type) && !known.contains(annotation)) {
				return "has other annotations: @%s".formatted(type.getSimpleName());
			}
		}
		List<Source> said = sources(inContract, false);
		List<Source> resolved = sources(parameter, parameter.isOptional());
		if (said.size() != 1 || resolved.size() != 1) {
			return "has other annotations";
		}
		String difference = resolved.get(0).difference(said.get(0));
		if (difference != null) {
			return difference;
		}
		String type = ResolvableType.forMethodParameter(parameter).toString();
		String typeSaid = ResolvableType.forType(method.argumentTypes().get(index)).toString();
		return type.equals(typeSaid) ? null : "is declared as %s and not as %s".formatted(type, typeSaid);
	}

	/** Validation is planned from the handler's own annotations. */
	private static boolean isOfSpring(Class<? extends Annotation> type) {
		return type.getName().startsWith("org.springframework.")
				&& !type.getName().startsWith("org.springframework.validation.")
				&& !type.getName().startsWith("org.springframework.lang.");
	}

	private static List<Source> sources(MethodParameter parameter, boolean optional) {
		return SOURCES.stream().filter(parameter::hasParameterAnnotation).map((kind) -> {
			Source source = source(parameter, kind);
			String name = (source.name.isEmpty() && kind != RequestBody.class)
					? String.valueOf(parameter.getParameterName()) : source.name;
			return new Source(kind, name, source.required && !optional, source.defaultValue);
		}).toList();
	}

	private static Source source(MethodParameter parameter, Class<? extends Annotation> kind) {
		Annotation annotation = parameter.getParameterAnnotation(kind);
		String none = ValueConstants.DEFAULT_NONE;
		if (annotation instanceof PathVariable variable) {
			return new Source(kind, variable.name(), variable.required(), none);
		}
		if (annotation instanceof RequestParam param) {
			return new Source(kind, param.name(), param.required(), param.defaultValue());
		}
		if (annotation instanceof RequestHeader header) {
			return new Source(kind, header.name(), header.required(), header.defaultValue());
		}
		if (annotation instanceof CookieValue cookie) {
			return new Source(kind, cookie.name(), cookie.required(), cookie.defaultValue());
		}
		return new Source(kind, "", annotation instanceof RequestBody body && body.required(), none);
	}

}
