package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import feign.CollectionFormat;
import feign.MethodMetadata;
import feign.RequestTemplate;
import io.github.vicinal.boot.contract.MappingAnnotations;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Compares what Feign has read of a method with what typed paths assume. Requests are
 * made of the former, so whatever else it contains is left to HTTP.
 */
final class FeignMethods {

	private final MethodMetadata read;

	private final RequestTemplate template;

	private final MappingAnnotations annotations;

	private final UnaryOperator<String> placeholders;

	private FeignMethods(MethodMetadata read, MappingAnnotations annotations, UnaryOperator<String> placeholders) {
		this.read = read;
		this.template = read.template();
		this.annotations = annotations;
		this.placeholders = placeholders;
	}

	/**
	 * Finds a difference.
	 * @param read what Feign has read of the method
	 * @param annotations what its annotations say
	 * @param placeholders resolves the placeholders of paths
	 * @return what keeps calls on HTTP, or empty
	 */
	static String difference(MethodMetadata read, MappingAnnotations annotations, UnaryOperator<String> placeholders) {
		String found = new FeignMethods(read, annotations, placeholders).difference();
		return (found != null) ? "Feign makes %s of its annotations, which typed paths do not carry".formatted(found)
				: "";
	}

	private @Nullable String difference() {
		Method method = this.read.method();
		if (this.read.isIgnored() || !this.annotations.httpMethod(method).equals(this.template.method())) {
			return "another HTTP method";
		}
		String path = this.placeholders.apply(this.annotations.ownPath(method));
		if (!this.template.path().equals(path.isEmpty() ? "/" : path)) {
			return "the path %s".formatted(this.template.path());
		}
		if (this.read.queryMapIndex() != null || this.read.headerMapIndex() != null) {
			return "a map of parameters or headers";
		}
		if (this.read.urlIndex() != null) {
			return "a URL of its own";
		}
		return (this.template.collectionFormat() != CollectionFormat.EXPLODED) ? "a collection format of its own"
				: arguments(method);
	}

	private @Nullable String arguments(Method method) {
		Map<Integer, Collection<String>> names = new TreeMap<>();
		Map<String, Collection<String>> queries = new LinkedHashMap<>();
		Map<String, Collection<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		Integer body = null;
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = this.annotations.parameter(method, i);
			String name = this.annotations.name(parameter);
			if (parameter.hasParameterAnnotation(RequestBody.class)) {
				body = i;
			}
			else if (name != null) {
				names.put(i, List.of(name));
				Collection<String> variable = List.of("{" + name + "}");
				if (parameter.hasParameterAnnotation(RequestParam.class)) {
					queries.put(name, variable);
				}
				else if (parameter.hasParameterAnnotation(RequestHeader.class)) {
					headers.put(name, variable);
				}
				else if (!parameter.hasParameterAnnotation(PathVariable.class)) {
					return "something else";
				}
			}
		}
		if (!new TreeMap<>(this.read.indexToName()).equals(names)) {
			return "other names";
		}
		if (!this.template.queries().equals(queries)) {
			return "the parameters %s".formatted(this.template.queries());
		}
		if (!headers.equals(this.template.headers())) {
			return "the headers %s".formatted(this.template.headers());
		}
		boolean otherBody = this.template.body() != null || this.template.bodyTemplate() != null
				|| !this.read.formParams().isEmpty() || this.read.alwaysEncodeBody()
				|| !this.read.indexToExpanderClass().isEmpty() || !Objects.equals(body, this.read.bodyIndex());
		return otherBody ? "another body" : null;
	}

}
