package io.github.vicinal.boot.contract;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.github.vicinal.codec.JsonStructure;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.contract.TypeClosure;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ValueConstants;

/**
 * The structure of the calls of one method: HTTP method, path, arguments in their order,
 * and result, without the names of classes and of path variables. A client's method and a
 * handler of equal structure are the two sides of the same call.
 * <p>
 * A method about which something is uncertain has no structure, so its calls stay as they
 * are.
 *
 * @param hashes the hash of the structure; of a handler, those of all clients' methods
 * that it can answer. Empty if there is no structure
 * @param reason why there is none, or empty
 */
public record MethodStructure(List<String> hashes, String reason) {

	/** Those that say where an argument comes from. */
	private static final List<Class<? extends Annotation>> SOURCES = List.of(PathVariable.class, RequestParam.class,
			RequestHeader.class, CookieValue.class, RequestBody.class);

	private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE");

	/** A variable takes a segment of its own, and is not restricted. */
	private static final Pattern PATH = Pattern.compile("(/([0-9A-Za-z._~-]+|\\{[^/{}:*]+\\}))+");

	private static final Pattern VARIABLE = Pattern.compile("\\{[^/]*\\}");

	/** Number of optional arguments of which a client may require any. */
	private static final int MAX_OPTIONAL = 4;

	public MethodStructure {
		hashes = List.copyOf(hashes);
	}

	private static MethodStructure because(String reason) {
		return new MethodStructure(List.of(), reason);
	}

	/** Why a method has no structure. */
	private static final class NoStructureException extends RuntimeException {

		private static final long serialVersionUID = 1;

		NoStructureException(String reason) {
			super(reason, null, false, false);
		}

	}

	/**
	 * Describes a method of a client with an HTTP interface.
	 * @param contract the client's interface
	 * @param method its method
	 * @param placeholders resolves the placeholders of paths
	 * @param json describes bodies
	 * @return its structure
	 */
	public static MethodStructure ofClient(Class<?> contract, ContractMethod method, UnaryOperator<String> placeholders,
			JsonStructure json) {
		return ofClient(contract, new ExchangeAnnotations(contract), method, placeholders, json);
	}

	/**
	 * Describes a method of a client.
	 * @param contract the client's interface
	 * @param annotations what its annotations say
	 * @param method its method
	 * @param placeholders resolves the placeholders of paths
	 * @param json describes bodies
	 * @return its structure
	 */
	public static MethodStructure ofClient(Class<?> contract, ClientAnnotations annotations, ContractMethod method,
			UnaryOperator<String> placeholders, JsonStructure json) {
		return examined(method.method().getName(), () -> client(contract, annotations, method, placeholders, json));
	}

	/**
	 * A method that cannot be examined has no structure, and its requests are sent as
	 * ever.
	 */
	private static MethodStructure examined(String method, Supplier<MethodStructure> structure) {
		try {
			return structure.get();
		}
		catch (NoStructureException ex) {
			return because(String.valueOf(ex.getMessage()));
		}
		catch (RuntimeException | LinkageError ex) {
			return because("%s cannot be examined: %s".formatted(method, ex));
		}
	}

	private static MethodStructure client(Class<?> contract, ClientAnnotations annotations, ContractMethod method,
			UnaryOperator<String> placeholders, JsonStructure json) {
		if (method.httpOnlyReason() != null) {
			return because(method.httpOnlyReason());
		}
		if (annotations.hasAccept(method.method()) || !annotations.contentType(method.method()).isEmpty()) {
			return because("its annotation names media types");
		}
		List<MethodParameter> parameters = new ArrayList<>();
		for (int i = 0; i < method.argumentTypes().size(); i++) {
			parameters.add(annotations.parameter(method.method(), i));
		}
		ResultShape shape = ResultShape.of(contract, method.method());
		if (shape.timing() == ResultShape.Timing.FLUX) {
			return because("the elements of its result arrive one by one");
		}
		return of(annotations.httpMethod(method.method()), placeholders.apply(annotations.path(method.method())),
				parameters, shape, json, false);
	}

	/**
	 * Describes a handler that is mapped to one path, without other conditions than the
	 * HTTP method.
	 * @param httpMethod one HTTP method that it is mapped to
	 * @param pattern the path that it is mapped to
	 * @param beanType the class of the controller
	 * @param parameters its parameters
	 * @param shape its result
	 * @param json describes bodies
	 * @return its structure
	 */
	public static MethodStructure ofHandler(String httpMethod, String pattern, Class<?> beanType,
			MethodParameter[] parameters, ResultShape shape, JsonStructure json) {
		return examined(pattern, () -> handler(httpMethod, pattern, beanType, parameters, shape, json));
	}

	private static MethodStructure handler(String httpMethod, String pattern, Class<?> beanType,
			MethodParameter[] parameters, ResultShape shape, JsonStructure json) {
		if (shape.timing() != ResultShape.Timing.SYNC) {
			return because("its result is asynchronous");
		}
		List<MethodParameter> described = new ArrayList<>();
		for (MethodParameter parameter : parameters) {
			MethodParameter own = parameter.withContainingClass(beanType);
			String reason = ArgumentRules.of(own, type(own), "", pattern).reason();
			if (reason != null) {
				return because(reason);
			}
			described.add(own);
		}
		return of(httpMethod, pattern, described, shape, json, true);
	}

	private static MethodStructure of(String httpMethod, String path, List<MethodParameter> parameters,
			ResultShape shape, JsonStructure json, boolean handler) {
		if (!METHODS.contains(httpMethod)) {
			throw new NoStructureException("the HTTP method %s is left to HTTP".formatted(httpMethod));
		}
		if (!PATH.matcher(path).matches()) {
			throw new NoStructureException("the path %s is more than segments and variables".formatted(path));
		}
		List<String> variables = VARIABLE.matcher(path)
			.results()
			.map((match) -> match.group().substring(1, match.group().length() - 1))
			.toList();
		List<Argument> arguments = new ArrayList<>();
		for (int i = 0; i < parameters.size(); i++) {
			arguments.add(argument(i, parameters.get(i), variables, json, handler));
		}
		List<String> filled = arguments.stream()
			.map(Argument::variable)
			.filter((variable) -> !variable.isEmpty())
			.sorted()
			.toList();
		if (!filled.equals(variables.stream().sorted().toList())) {
			throw new NoStructureException("its arguments do not fill the path %s".formatted(path));
		}
		String start = httpMethod + ' ' + VARIABLE.matcher(path).replaceAll("{}") + '\n' + result(shape, json);
		return new MethodStructure(hashes(start, arguments, handler), "");
	}

	/** A client may require an argument that the server does not require. */
	private static List<String> hashes(String start, List<Argument> arguments, boolean handler) {
		long optional = arguments.stream().filter(Argument::optional).count();
		boolean variants = handler && optional <= MAX_OPTIONAL;
		List<StringBuilder> texts = new ArrayList<>(List.of(new StringBuilder(start)));
		for (Argument argument : arguments) {
			List<StringBuilder> longer = new ArrayList<>();
			for (StringBuilder text : texts) {
				if (argument.optional() && variants) {
					longer.add(new StringBuilder(text).append('\n').append(argument.text()));
				}
				longer.add(text.append('\n').append(argument.text()).append(argument.optional() ? " optional" : ""));
			}
			texts = longer;
		}
		return texts.stream().map((text) -> Contract.hash(text.toString())).toList();
	}

	/**
	 * One argument.
	 *
	 * @param text its role, name and type
	 * @param optional whether it may be missing
	 * @param variable the variable of the path that it fills, or empty
	 */
	private record Argument(String text, boolean optional, String variable) {
	}

	private static Argument argument(int index, MethodParameter parameter, List<String> variables, JsonStructure json,
			boolean handler) {
		String where = "argument %d".formatted(index + 1);
		List<Class<? extends Annotation>> kinds = SOURCES.stream().filter(parameter::hasParameterAnnotation).toList();
		boolean others = Arrays.stream(parameter.getParameterAnnotations())
			.map(Annotation::annotationType)
			.anyMatch((kind) -> !SOURCES.contains(kind) && isOfSpring(kind));
		if (kinds.size() != 1 || others) {
			throw new NoStructureException(
					"%s has other annotations than one that says where it comes from".formatted(where));
		}
		if (kinds.get(0) == RequestBody.class) {
			return new Argument("body " + body(type(parameter), json::ofWritten, where), false, "");
		}
		parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
		Source source = source(parameter, kinds.get(0));
		String name = source.name().isEmpty() ? String.valueOf(parameter.getParameterName()) : source.name();
		if (name.contains("${") || name.contains("#{")) {
			throw new NoStructureException("%s has the name %s, which is resolved".formatted(where, name));
		}
		if (!source.defaultValue().equals(ValueConstants.DEFAULT_NONE)) {
			throw new NoStructureException("%s has a default value".formatted(where));
		}
		Class<?> raw = parameter.getParameterType();
		boolean missing = !source.required() || raw == Optional.class || (handler && parameter.isOptional());
		boolean optional = missing && !raw.isPrimitive();
		String text = text(type(parameter), where);
		if (kinds.get(0) == PathVariable.class) {
			if (optional) {
				throw new NoStructureException("%s is an optional part of the path".formatted(where));
			}
			return new Argument("path %d %s".formatted(variables.indexOf(name), text), false, name);
		}
		// Names of headers have no case.
		String role = kinds.get(0).getSimpleName() + " "
				+ ((kinds.get(0) == RequestHeader.class) ? name.toLowerCase(Locale.ROOT) : name);
		return new Argument(role + " " + text, optional, "");
	}

	/** Validation is the server's own. */
	private static boolean isOfSpring(Class<? extends Annotation> type) {
		return type.getName().startsWith("org.springframework.")
				&& !type.getName().startsWith("org.springframework.validation.")
				&& !type.getName().startsWith("org.springframework.lang.");
	}

	private record Source(String name, boolean required, String defaultValue) {
	}

	private static Source source(MethodParameter parameter, Class<? extends Annotation> kind) {
		Annotation annotation = parameter.getParameterAnnotation(kind);
		if (annotation instanceof PathVariable variable) {
			return new Source(variable.name(), variable.required(), ValueConstants.DEFAULT_NONE);
		}
		if (annotation instanceof RequestParam param) {
			return new Source(param.name(), param.required(), param.defaultValue());
		}
		if (annotation instanceof RequestHeader header) {
			return new Source(header.name(), header.required(), header.defaultValue());
		}
		if (annotation instanceof CookieValue cookie) {
			return new Source(cookie.name(), cookie.required(), cookie.defaultValue());
		}
		throw new NoStructureException("an argument comes from %s".formatted(kind.getSimpleName()));
	}

	private static Type type(MethodParameter parameter) {
		return GenericTypeResolver.resolveType(parameter.getGenericParameterType(), parameter.getContainingClass());
	}

	/** Describes an argument that HTTP carries as text. */
	private static String text(Type type, String where) {
		ResolvableType resolvable = ResolvableType.forType(type);
		Class<?> raw = resolvable.toClass();
		if (raw == Optional.class || raw == List.class) {
			return raw.getSimpleName() + " " + element(resolvable.getGeneric(0).toClass(), where);
		}
		return raw.isArray() ? "array " + element(raw.getComponentType(), where) : element(raw, where);
	}

	private static String element(Class<?> type, String where) {
		if (type.isEnum()) {
			Optional<String> opaque = TypeClosure.whyOpaque(type);
			if (opaque.isPresent()) {
				throw new NoStructureException("%s: %s".formatted(where, opaque.get()));
			}
			return "enum" + Arrays.stream(type.getEnumConstants()).map((each) -> ((Enum<?>) each).name()).toList();
		}
		if (!TypeClosure.isScalar(type)) {
			throw new NoStructureException("%s (%s) is converted by Spring".formatted(where, type.getName()));
		}
		return boxed(type).getTypeName();
	}

	private static String body(Type type, Function<Type, JsonStructure.Description> json, String where) {
		if (type == String.class || type == byte[].class) {
			return "plain " + type.getTypeName();
		}
		if (type instanceof Class<?> raw && (CharSequence.class.isAssignableFrom(raw)
				|| java.nio.Buffer.class.isAssignableFrom(raw) || raw.isPrimitive())) {
			throw new NoStructureException("%s is %s".formatted(where, raw.getName()));
		}
		if (ResolvableType.forType(type).hasUnresolvableGenerics()) {
			throw new NoStructureException("%s has a type that is not known before the call".formatted(where));
		}
		JsonStructure.Description described = json.apply(type);
		if (described.text().isEmpty()) {
			throw new NoStructureException("%s: %s".formatted(where, described.reason()));
		}
		return described.text();
	}

	private static String result(ResultShape shape, JsonStructure json) {
		if (shape.envelope() != ResultShape.Envelope.NONE && shape.envelope() != ResultShape.Envelope.ENTITY) {
			throw new NoStructureException("its result comes in %s".formatted(shape.envelope()));
		}
		Type type = shape.valueType();
		return (type == void.class) ? "nothing" : body(boxed(type), json::of, "the result");
	}

	/**
	 * Returns the type of an argument or result in calls by structure, in which a
	 * primitive type and its wrapper are the same.
	 * @param type the type as it is declared
	 * @return the wrapper of a primitive type, else the type
	 */
	public static Type boxed(Type type) {
		return (type instanceof Class<?> raw && raw != void.class) ? ClassUtils.resolvePrimitiveIfNecessary(raw) : type;
	}

	/** Returns the reason as something to show, {@code null} if there is a structure. */
	public @Nullable String whyNone() {
		return this.reason.isEmpty() ? null : this.reason;
	}

}
