package io.github.vicinal.boot.contract;

import java.lang.reflect.Method;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ValueConstants;

/**
 * The annotations of a client's interface, as far as they describe the requests of its
 * methods. Immutable and thread-safe.
 */
public interface ClientAnnotations {

	/**
	 * Returns the HTTP method of a contract method.
	 * @param method the method
	 * @return for instance {@code GET}; empty if the annotation leaves it open
	 */
	String httpMethod(Method method);

	/**
	 * Returns the URI template of a contract method.
	 * @param method the method
	 * @return the path of the interface and of the method, with placeholders
	 */
	String path(Method method);

	/**
	 * Returns the media type of a contract method's body.
	 * @param method the method
	 * @return a media type, or empty
	 */
	String contentType(Method method);

	/**
	 * Returns whether the annotations set the {@code Accept} header.
	 * @param method the method
	 * @return whether they say what media types are accepted
	 */
	boolean hasAccept(Method method);

	/**
	 * Returns whether the annotations name an API version.
	 * @param method the method
	 * @return whether they do
	 */
	boolean hasVersion(Method method);

	/**
	 * Returns the URL of a method's own annotation, where the interface names none.
	 * @param method the method
	 * @return a path, a URL or a template of either; empty if the interface has one
	 */
	String ownUrl(Method method);

	/**
	 * Returns which arguments may replace the base URL of the client.
	 * @param method the method
	 * @return their positions
	 */
	int[] urlArguments(Method method);

	/**
	 * Returns a parameter with the annotations that say where its argument goes.
	 * @param method the method
	 * @param position its position
	 * @return the parameter
	 */
	MethodParameter parameter(Method method, int position);

	/**
	 * Returns the rules of a method's arguments.
	 * @param method a method that typed paths can carry
	 * @return a rule for each argument
	 */
	ArgumentRule[] rules(ContractMethod method);

	/**
	 * Returns whether the requests of a method have a body.
	 * @param method the method
	 * @return whether one of its parameters is a body or a part of one
	 */
	default boolean hasBody(Method method) {
		return IntStream.range(0, method.getParameterCount())
			.mapToObj((position) -> parameter(method, position))
			.anyMatch((parameter) -> parameter.hasParameterAnnotation(RequestBody.class)
					|| parameter.hasParameterAnnotation(RequestPart.class));
	}

	/**
	 * Returns the names of the variables of the path that the parameters of a method
	 * fill.
	 * @param method the method
	 * @return a name, or {@code null}, for each argument
	 */
	default @Nullable String[] pathNames(ContractMethod method) {
		return names(method, (parameter) -> {
			PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
			return (variable != null) ? variable.name() : null;
		});
	}

	/**
	 * Returns the names of the query parameters of a method.
	 * @param method the method
	 * @return a name, or {@code null}, for each argument
	 */
	default @Nullable String[] queryNames(ContractMethod method) {
		return names(method, (parameter) -> {
			RequestParam param = parameter.getParameterAnnotation(RequestParam.class);
			return (param != null) ? param.name() : null;
		});
	}

	/**
	 * Returns the names of the headers that a method's arguments fill.
	 * @param method the method
	 * @return a lower-case name, or {@code null}, for each argument
	 */
	default @Nullable String[] headerNames(ContractMethod method) {
		@Nullable String[] names = names(method, (parameter) -> {
			RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
			if (header != null) {
				return header.name();
			}
			return parameter.hasParameterAnnotation(CookieValue.class) ? "cookie" : null;
		});
		for (int i = 0; i < names.length; i++) {
			String name = names[i];
			names[i] = (name != null) ? name.toLowerCase(Locale.ROOT) : null;
		}
		return names;
	}

	/**
	 * Returns which headers have a default value that is sent for a missing argument.
	 * @param method the method
	 * @return for each argument, whether there is one
	 */
	default boolean[] headerDefaults(ContractMethod method) {
		boolean[] defaults = new boolean[method.argumentTypes().size()];
		for (int i = 0; i < defaults.length; i++) {
			MethodParameter parameter = parameter(method.method(), i);
			RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
			CookieValue cookie = parameter.getParameterAnnotation(CookieValue.class);
			defaults[i] = (header != null && !header.defaultValue().equals(ValueConstants.DEFAULT_NONE))
					|| (cookie != null && !cookie.defaultValue().equals(ValueConstants.DEFAULT_NONE));
		}
		return defaults;
	}

	/** An empty name stands for that of the parameter. */
	private @Nullable String[] names(ContractMethod method, Function<MethodParameter, @Nullable String> declared) {
		@Nullable String[] names = new @Nullable String[method.argumentTypes().size()];
		for (int i = 0; i < names.length; i++) {
			MethodParameter parameter = parameter(method.method(), i);
			String name = declared.apply(parameter);
			if (name != null && name.isEmpty()) {
				parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
				name = String.valueOf(parameter.getParameterName());
			}
			names[i] = name;
		}
		return names;
	}

}
