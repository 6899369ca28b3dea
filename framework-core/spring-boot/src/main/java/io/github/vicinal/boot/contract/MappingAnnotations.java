package io.github.vicinal.boot.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * The annotations of a Feign client's interface, as Spring Cloud reads them: those of
 * Spring MVC, on methods only, where a parameter without an annotation is the body.
 *
 * @param contract the interface
 * @param prefix the path that the client puts before those of all methods, or empty
 */
public record MappingAnnotations(Class<?> contract, String prefix) implements ClientAnnotations {

	/** Annotations that say where an argument goes, and that it is not the body. */
	private static final Set<String> SOURCES = Set.of("org.springframework.web.bind.annotation.PathVariable",
			"org.springframework.web.bind.annotation.RequestParam",
			"org.springframework.web.bind.annotation.RequestHeader",
			"org.springframework.web.bind.annotation.CookieValue",
			"org.springframework.web.bind.annotation.MatrixVariable",
			"org.springframework.web.bind.annotation.RequestPart", "org.springframework.cloud.openfeign.SpringQueryMap",
			"feign.QueryMap", "feign.HeaderMap", "feign.Param");

	private static final RequestBody BODY = AnnotationUtils.synthesizeAnnotation(RequestBody.class);

	static @Nullable RequestMapping mapping(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class);
	}

	@Override
	public String httpMethod(Method method) {
		RequestMapping mapping = mapping(method);
		return (mapping == null || mapping.method().length == 0) ? "GET"
				: mapping.method()[0].name().toUpperCase(Locale.ROOT);
	}

	/**
	 * Returns the path of a method without that of the client.
	 * @param method the method
	 * @return empty or with a slash at its beginning
	 */
	public String ownPath(Method method) {
		RequestMapping mapping = mapping(method);
		String path = (mapping == null || mapping.path().length == 0) ? "" : mapping.path()[0];
		return (path.isEmpty() || path.startsWith("/")) ? path : "/" + path;
	}

	@Override
	public String path(Method method) {
		return this.prefix + ownPath(method);
	}

	@Override
	public String contentType(Method method) {
		RequestMapping mapping = mapping(method);
		return (mapping == null || mapping.consumes().length == 0) ? "" : mapping.consumes()[0];
	}

	@Override
	public boolean hasAccept(Method method) {
		RequestMapping mapping = mapping(method);
		return mapping != null && mapping.produces().length > 0;
	}

	@Override
	public boolean hasVersion(Method method) {
		RequestMapping mapping = mapping(method);
		return mapping != null && !mapping.version().isEmpty();
	}

	@Override
	public String ownUrl(Method method) {
		return "";
	}

	@Override
	public int[] urlArguments(Method method) {
		return IntStream.range(0, method.getParameterCount())
			.filter((position) -> method.getParameterTypes()[position] == URI.class)
			.toArray();
	}

	@Override
	public MethodParameter parameter(Method method, int position) {
		boolean body = Arrays.stream(method.getParameterAnnotations()[position])
			.map((annotation) -> annotation.annotationType().getName())
			.noneMatch((name) -> SOURCES.contains(name) || name.equals(RequestBody.class.getName()));
		MethodParameter parameter = body ? new BodyParameter(method, position)
				: new SynthesizingMethodParameter(method, position);
		return parameter.withContainingClass(this.contract);
	}

	@Override
	public ArgumentRule[] rules(ContractMethod method) {
		ArgumentRule[] rules = new ArgumentRule[method.argumentTypes().size()];
		for (int i = 0; i < rules.length; i++) {
			ArgumentRule rule = MappingRules
				.of(parameter(method.method(), i), method.argumentTypes().get(i), httpMethod(method.method()),
						path(method.method()))
				.rule();
			rules[i] = (rule != null) ? rule : ArgumentRule.ANY;
		}
		return rules;
	}

	/**
	 * Returns the name of a variable, query parameter or header.
	 * @param parameter a parameter
	 * @return its name, {@code null} if it is something else
	 */
	public @Nullable String name(MethodParameter parameter) {
		return MappingRules.name(parameter);
	}

	/** A parameter without an annotation, which is the body. */
	private static final class BodyParameter extends SynthesizingMethodParameter {

		BodyParameter(Method method, int position) {
			super(method, position);
		}

		private BodyParameter(BodyParameter original) {
			super(original);
		}

		@Override
		public Annotation[] getParameterAnnotations() {
			Annotation[] declared = super.getParameterAnnotations();
			Annotation[] all = Arrays.copyOf(declared, declared.length + 1);
			all[declared.length] = BODY;
			return all;
		}

		@Override
		public SynthesizingMethodParameter clone() {
			return new BodyParameter(this);
		}

	}

}
