package io.github.vicinal.boot.contract;

import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.vicinal.boot.contract.ArgumentRules.RuleOrReason;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The {@link ArgumentRule} of each parameter of a Feign client: what Spring carries
 * unchanged, without what Feign's templates change on top of that.
 */
final class MappingRules {

	/** Other names are no variables to Feign, or are written in its own way. */
	private static final Pattern NAME = Pattern.compile("[0-9A-Za-z_][0-9A-Za-z_-]*");

	private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

	/** Headers that {@code HttpURLConnection} drops, or sets itself. */
	private static final Set<String> OF_LIBRARIES = Set.of("access-control-request-headers",
			"access-control-request-method", "cache-control", "content-transfer-encoding", "keep-alive", "pragma",
			"proxy-authorization", "proxy-connection", "te", "trailer", "user-agent", "via");

	private MappingRules() {
	}

	/** Returns the name of a variable, header or parameter, {@code null} for a body. */
	static @Nullable String name(MethodParameter parameter) {
		PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
		RequestParam param = parameter.getParameterAnnotation(RequestParam.class);
		RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
		String name = (variable != null) ? variable.name()
				: (param != null) ? param.name() : (header != null) ? header.name() : null;
		if (name != null && name.isEmpty()) {
			parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
			return String.valueOf(parameter.getParameterName());
		}
		return name;
	}

	static RuleOrReason of(MethodParameter parameter, Type type, String httpMethod, String path) {
		String where = "argument %d".formatted(parameter.getParameterIndex() + 1);
		Class<?> raw = ResolvableType.forType(type).toClass();
		if (parameter.hasParameterAnnotation(RequestBody.class)) {
			return body(parameter, type, raw, httpMethod, path, where);
		}
		String name = name(parameter);
		if (name == null) {
			return because(where + " has a meaning to HTTP only");
		}
		if (!NAME.matcher(name).matches()) {
			return because("%s has a name that Feign reads in its own way: %s".formatted(where, name));
		}
		if (raw.isArray() || raw == Optional.class) {
			return because("%s (%s) is written by Feign in its own way".formatted(where, type.getTypeName()));
		}
		if (parameter.hasParameterAnnotation(RequestHeader.class)
				&& (OF_LIBRARIES.contains(name.toLowerCase(Locale.ROOT))
						|| ArgumentRules.MEANINGFUL.contains(name.toLowerCase(Locale.ROOT)))) {
			return because("the header %s has a meaning to servers or to HTTP libraries".formatted(name));
		}
		RuleOrReason spring = ArgumentRules.of(parameter, type, "", path);
		ArgumentRule rule = spring.rule();
		if (rule == null || (raw != String.class && raw != List.class)) {
			return spring;
		}
		return new RuleOrReason((value) -> {
			String reason = rule.onlyHttpBecause(value);
			return (reason != null) ? reason : text(value);
		}, null);
	}

	private static RuleOrReason body(MethodParameter parameter, Type type, Class<?> raw, String httpMethod, String path,
			String where) {
		if (!WITH_BODY.contains(httpMethod)) {
			return because("%s is the body of a %s request".formatted(where, httpMethod));
		}
		if (raw == String.class || raw == byte[].class) {
			return because("%s is a text or bytes, whose media type HTTP clients choose".formatted(where));
		}
		if (raw.getName().startsWith("feign.")) {
			return because(where + " has a meaning to HTTP only");
		}
		return ArgumentRules.of(parameter, type, "", path);
	}

	/** Feign leaves what looks encoded as it is, decodes slashes, and drops blanks. */
	private static @Nullable String text(@Nullable Object value) {
		if (value instanceof Collection<?> elements) {
			for (Object element : elements) {
				String reason = text(element);
				if (reason != null) {
					return reason;
				}
			}
			return null;
		}
		if (!(value instanceof String text)) {
			return null;
		}
		if (text.isEmpty()) {
			return "Feign writes an empty text in its own way";
		}
		return (text.indexOf('%') >= 0 || text.indexOf('/') >= 0)
				? "Feign encodes a text with '%' or '/' in its own way" : null;
	}

	private static RuleOrReason because(String reason) {
		return new RuleOrReason(null, reason);
	}

}
