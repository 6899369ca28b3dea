package io.github.vicinal.boot.contract;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.contract.ArgumentRules.RuleOrReason;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * Reads the contract of a Feign client from its interface. Immutable and thread-safe.
 */
public final class MappingContractReader implements ContractReader {

	private final MappingAnnotations annotations;

	private final @Nullable AffinityChannel said;

	private final Map<Method, String> httpOnly;

	private MappingContractReader(MappingAnnotations annotations, @Nullable AffinityChannel said,
			Map<Method, String> httpOnly) {
		this.annotations = annotations;
		this.said = said;
		this.httpOnly = Map.copyOf(httpOnly);
	}

	/**
	 * Reads a contract.
	 * @param annotations the annotations of the interface
	 * @param said what is said of the channel, or {@code null}
	 * @param methods the methods that the client has, each with the reason why only HTTP
	 * can carry it, or with an empty text
	 * @return the contract
	 */
	public static Contract contract(MappingAnnotations annotations, @Nullable AffinityChannel said,
			Map<Method, String> methods) {
		return Contract.of(annotations.contract(), new MappingContractReader(annotations, said, methods));
	}

	@Override
	public @Nullable MethodDescription read(Class<?> contract, Method method) {
		String known = this.httpOnly.get(method);
		if (known == null) {
			return null;
		}
		List<Type> arguments = new ArrayList<>();
		List<RuleOrReason> rules = new ArrayList<>();
		Set<Integer> texts = new HashSet<>();
		String httpMethod = this.annotations.httpMethod(method);
		for (int i = 0; i < method.getParameterCount(); i++) {
			Type type = GenericTypeResolver.resolveType(method.getGenericParameterTypes()[i], contract);
			MethodParameter parameter = this.annotations.parameter(method, i);
			arguments.add(type);
			rules.add(MappingRules.of(parameter, type, httpMethod, this.annotations.path(method)));
			if (!parameter.hasParameterAnnotation(RequestBody.class)) {
				texts.add(i);
			}
		}
		ResultShape shape = ResultShape.of(contract, method);
		AffinityChannel channel = AnnotatedElementUtils.findMergedAnnotation(method, AffinityChannel.class);
		return new MethodDescription(arguments, shape.valueType(),
				ExchangeContractReader.idempotent(httpMethod, channel, this.said),
				httpOnlyReason(method, known, rules, arguments, shape, channel), texts);
	}

	private @Nullable String httpOnlyReason(Method method, String known, List<RuleOrReason> rules, List<Type> arguments,
			ResultShape shape, @Nullable AffinityChannel channel) {
		String annotated = HttpOnlyReasons.annotated(channel);
		if (annotated != null) {
			return annotated;
		}
		if (shape.timing() != ResultShape.Timing.SYNC || shape.valueClass().getName().startsWith("feign.")
				|| shape.envelope() == ResultShape.Envelope.HEADERS
				|| shape.envelope() == ResultShape.Envelope.OPTIONAL) {
			return "its result is for HTTP only";
		}
		RequestMapping mapping = MappingAnnotations.mapping(method);
		if (mapping == null) {
			return "it has no annotation of Spring MVC";
		}
		if (mapping.params().length > 0 || mapping.headers().length > 0) {
			return "its annotation sets headers or parameters";
		}
		if (!mapping.version().isEmpty()) {
			return "the server routes it by API version";
		}
		String common = HttpOnlyReasons.of(method, this.annotations.httpMethod(method), rules, arguments, shape);
		if (common == null) {
			common = sharedVariable(method);
		}
		return (common != null || known.isEmpty()) ? common : known;
	}

	/** Feign gives all arguments of one name the value of the last one. */
	private @Nullable String sharedVariable(Method method) {
		Set<String> names = new HashSet<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			String name = MappingRules.name(this.annotations.parameter(method, i));
			if (name != null && !names.add(name.toLowerCase(Locale.ROOT))) {
				return "two of its arguments have the name " + name;
			}
		}
		return null;
	}

}
