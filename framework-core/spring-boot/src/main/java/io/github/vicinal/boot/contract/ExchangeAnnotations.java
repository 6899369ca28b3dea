package io.github.vicinal.boot.contract;

import java.lang.reflect.Method;
import java.net.URI;
import java.util.Arrays;
import java.util.stream.IntStream;

import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.util.UriBuilderFactory;

/**
 * The annotations of an HTTP interface.
 *
 * @param contract the interface, with {@code @HttpExchange} methods
 */
public record ExchangeAnnotations(Class<?> contract) implements ClientAnnotations {

	@Override
	public String httpMethod(Method method) {
		return ExchangeContractReader.httpMethod(this.contract, method);
	}

	@Override
	public String path(Method method) {
		return ExchangeContractReader.path(this.contract, method);
	}

	@Override
	public String contentType(Method method) {
		return ExchangeContractReader.contentType(this.contract, method);
	}

	@Override
	public boolean hasAccept(Method method) {
		HttpExchange type = ofInterface();
		HttpExchange exchange = of(method);
		return (exchange != null && exchange.accept().length > 0) || (type != null && type.accept().length > 0);
	}

	@Override
	public boolean hasVersion(Method method) {
		HttpExchange type = ofInterface();
		HttpExchange exchange = of(method);
		return (exchange != null && !exchange.version().isEmpty()) || (type != null && !type.version().isEmpty());
	}

	@Override
	public String ownUrl(Method method) {
		HttpExchange type = ofInterface();
		HttpExchange exchange = of(method);
		return (exchange == null || (type != null && !type.url().isEmpty())) ? "" : exchange.url();
	}

	@Override
	public int[] urlArguments(Method method) {
		return IntStream.range(0, method.getParameterCount()).filter((position) -> {
			MethodParameter parameter = new SynthesizingMethodParameter(method, position).nestedIfOptional();
			Class<?> type = parameter.getNestedParameterType();
			return (type == URI.class || type == UriBuilderFactory.class) && Arrays
				.stream(parameter.getParameterAnnotations())
				.noneMatch((annotation) -> annotation.annotationType().getPackage() == RequestParam.class.getPackage());
		}).toArray();
	}

	@Override
	public MethodParameter parameter(Method method, int position) {
		return new SynthesizingMethodParameter(method, position).withContainingClass(this.contract);
	}

	@Override
	public ArgumentRule[] rules(ContractMethod method) {
		ArgumentRule[] rules = new ArgumentRule[method.argumentTypes().size()];
		for (int i = 0; i < rules.length; i++) {
			ArgumentRule rule = ArgumentRules
				.of(parameter(method.method(), i), method.argumentTypes().get(i), contentType(method.method()),
						path(method.method()))
				.rule();
			rules[i] = (rule != null) ? rule : ArgumentRule.ANY;
		}
		return rules;
	}

	private @Nullable HttpExchange ofInterface() {
		return AnnotatedElementUtils.findMergedAnnotation(this.contract, HttpExchange.class);
	}

	private static @Nullable HttpExchange of(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, HttpExchange.class);
	}

}
