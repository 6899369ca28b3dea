package io.github.vicinal.boot.server;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallFrame;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;

/**
 * The HTTP request that a call of a contract method makes, as far as the contract and the
 * arguments say. Thread-safe.
 */
final class RequestTemplate {

	/** Limit on texts in paths, parameters, headers and cookies. */
	private static final int MAX_CHARS = 1500;

	private static final int MAX_VALUES = 100;

	/** Maximum length of a character in a path or a query: three escaped bytes. */
	private static final int ENCODED_CHAR = 9;

	/** Maximum length of other values, without the digits of large numbers. */
	private static final int SHORT_VALUE = 48;

	/** A decimal digit has at least that many. */
	private static final int BITS_PER_DIGIT = 3;

	/** Length of the rest of a request's head: its line, separators, and lengths. */
	private static final int HEAD_BYTES = 256;

	/** Bytes between a header's name and its value, and behind it. */
	private static final int FIELD_BYTES = 4;

	private final String httpMethod;

	private final String servletPrefix;

	private final String pattern;

	/** Content type of a text for which the client declares none. */
	private static final String TEXT = "text/plain;charset=UTF-8";

	private final String contentType;

	/** Content type that a {@code WebClient} sends. */
	private final String reactiveContentType;

	private final String declaredAccept;

	private final String accept;

	private final Map<String, String> fixedHeaders;

	private final MethodParameter[] parameters;

	private final List<Named> pathVariables = new ArrayList<>();

	private final List<Named> queryParameters = new ArrayList<>();

	private final List<Named> headers = new ArrayList<>();

	private final List<Named> cookies = new ArrayList<>();

	private final boolean body;

	/** Length of the headers that the contract declares. */
	private final int declaredBytes;

	/** The argument at a position, and its name in the request. */
	private record Named(int position, String name) {
	}

	/**
	 * Creates the template of a method.
	 * @param contract the contract
	 * @param method the method of the contract
	 * @param handler the method that handles it
	 * @param pattern the path pattern that the handler is mapped to
	 * @param servletPrefix the path of the dispatcher servlet, empty if it is the root
	 */
	RequestTemplate(Contract contract, ContractMethod method, HandlerMethod handler, String pattern,
			String servletPrefix) {
		this(ExchangeContractReader.httpMethod(contract.type(), method.method()), handler, pattern, servletPrefix,
				ExchangeContractReader.contentType(contract.type(), method.method()),
				String.join(", ", declared(contract, method, HttpExchange::accept)), fixedHeaders(contract, method),
				ResultShape.of(contract.type(), method.method()).valueClass());
	}

	/**
	 * Creates the template of a method whose client declares nothing but HTTP method and
	 * path.
	 * @param httpMethod the HTTP method
	 * @param handler the method that handles it
	 * @param pattern the path pattern that the handler is mapped to
	 * @param servletPrefix the path of the dispatcher servlet, empty if it is the root
	 * @param result the class of the result
	 */
	RequestTemplate(String httpMethod, HandlerMethod handler, String pattern, String servletPrefix, Class<?> result) {
		this(httpMethod, handler, pattern, servletPrefix, "", "", Map.of(), result);
	}

	private RequestTemplate(String httpMethod, HandlerMethod handler, String pattern, String servletPrefix,
			String declaredContentType, String declaredAccept, Map<String, String> fixedHeaders, Class<?> result) {
		this.httpMethod = httpMethod;
		this.servletPrefix = servletPrefix;
		this.pattern = pattern;
		this.parameters = handler.getMethodParameters();
		this.contentType = contentType(declaredContentType, handler);
		this.reactiveContentType = (declaredContentType.isEmpty() && takesBytes(handler)) ? "" : this.contentType;
		this.declaredAccept = declaredAccept;
		this.accept = declaredAccept.isEmpty() ? readable(result) : declaredAccept;
		this.fixedHeaders = fixedHeaders;
		boolean hasBody = false;
		for (int i = 0; i < this.parameters.length; i++) {
			hasBody |= this.parameters[i].hasParameterAnnotation(RequestBody.class);
			sort(i, this.parameters[i]);
		}
		this.body = hasBody;
		int declared = this.contentType.length() + this.accept.length();
		for (Map.Entry<String, String> header : fixedHeaders.entrySet()) {
			declared += header.getKey().length() + header.getValue().length() + FIELD_BYTES;
		}
		this.declaredBytes = declared;
	}

	private void sort(int position, MethodParameter parameter) {
		PathVariable variable = parameter.getParameterAnnotation(PathVariable.class);
		if (variable != null) {
			this.pathVariables.add(named(position, variable.name(), parameter));
		}
		RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
		if (query != null) {
			this.queryParameters.add(named(position, query.name(), parameter));
		}
		RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
		if (header != null) {
			this.headers.add(named(position, header.name(), parameter));
		}
		CookieValue cookie = parameter.getParameterAnnotation(CookieValue.class);
		if (cookie != null) {
			this.cookies.add(named(position, cookie.name(), parameter));
		}
	}

	private static Named named(int position, String name, MethodParameter parameter) {
		return new Named(position, name.isEmpty() ? String.valueOf(parameter.getParameterName()) : name);
	}

	private static String contentType(String declared, HandlerMethod handler) {
		if (!declared.isEmpty()) {
			return declared;
		}
		return Arrays.stream(handler.getMethodParameters())
			.filter((parameter) -> parameter.hasParameterAnnotation(RequestBody.class))
			.findFirst()
			.map((parameter) -> (parameter.getParameterType() == String.class) ? TEXT
					: (parameter.getParameterType() == byte[].class) ? MediaType.APPLICATION_OCTET_STREAM_VALUE
							: MediaType.APPLICATION_JSON_VALUE)
			.orElse("");
	}

	private static boolean takesBytes(HandlerMethod handler) {
		return Arrays.stream(handler.getMethodParameters())
			.anyMatch((parameter) -> parameter.hasParameterAnnotation(RequestBody.class)
					&& parameter.getParameterType() == byte[].class);
	}

	/** Media types that the message converters of a {@code RestTemplate} can read. */
	private static String readable(Class<?> type) {
		if (type == void.class) {
			return "";
		}
		if (type == String.class) {
			return "text/plain, application/json, application/*+json, */*";
		}
		return (type == byte[].class) ? "application/octet-stream, */*" : "application/json, application/*+json";
	}

	private static Map<String, String> fixedHeaders(Contract contract, ContractMethod method) {
		Map<String, String> fixed = new LinkedHashMap<>();
		for (String header : declared(contract, method, HttpExchange::headers)) {
			int equals = header.indexOf('=');
			if (equals > 0 && !header.startsWith("!") && header.charAt(equals - 1) != '!') {
				fixed.put(header.substring(0, equals).strip().toLowerCase(Locale.ROOT),
						header.substring(equals + 1).strip());
			}
		}
		return fixed;
	}

	private static List<String> declared(Contract contract, ContractMethod method,
			java.util.function.Function<HttpExchange, String[]> attribute) {
		for (java.lang.reflect.AnnotatedElement element : List.of(method.method(), contract.type())) {
			HttpExchange exchange = AnnotatedElementUtils.findMergedAnnotation(element, HttpExchange.class);
			if (exchange != null && attribute.apply(exchange).length > 0) {
				return List.of(attribute.apply(exchange));
			}
		}
		return List.of();
	}

	String httpMethod() {
		return this.httpMethod;
	}

	/** The path pattern of the handler. */
	String pattern() {
		return this.pattern;
	}

	/** The path of the dispatcher servlet, empty if it is the root. */
	String servletPrefix() {
		return this.servletPrefix;
	}

	/**
	 * The {@code Content-Type} that the HTTP client would have sent, empty for none.
	 * @param reactive whether the client is a {@code WebClient}
	 */
	String contentType(boolean reactive) {
		return reactive ? this.reactiveContentType : this.contentType;
	}

	/** The {@code Accept} that the contract declares, empty for none. */
	String declaredAccept() {
		return this.declaredAccept;
	}

	/**
	 * The {@code Accept} of a client that sends one by itself, as {@code RestTemplate}
	 * does, empty for none.
	 */
	String accept() {
		return this.accept;
	}

	/** Headers that the contract's annotations name, by lower-case name. */
	Map<String, String> fixedHeaders() {
		return this.fixedHeaders;
	}

	/** Whether the HTTP request would have had a body. */
	boolean hasBody() {
		return this.body;
	}

	/** The encoded path of the request, without the context path. */
	String path(@Nullable Object[] arguments) {
		return this.servletPrefix + pathWithinServlet(arguments);
	}

	/** The encoded path of the request within the dispatcher servlet. */
	String pathWithinServlet(@Nullable Object[] arguments) {
		if (this.pattern.indexOf('{') < 0) {
			return this.pattern;
		}
		return UriComponentsBuilder.fromPath(this.pattern).encode().buildAndExpand(variables(arguments)).toUriString();
	}

	/** The values of the variables in the path, by name. */
	Map<String, String> variables(@Nullable Object[] arguments) {
		Map<String, String> variables = new LinkedHashMap<>();
		for (Named variable : this.pathVariables) {
			variables.put(variable.name(), text(unwrapped(arguments[variable.position()])));
		}
		return variables;
	}

	/**
	 * Reads what Spring would read of a request to make the arguments, so that whatever
	 * looks at such reads sees them.
	 * @param request the request as the handler sees it
	 * @param arguments the arguments of the call
	 * @return what would become another argument, or {@code null}
	 */
	@Nullable String differing(HttpServletRequest request, @Nullable Object[] arguments) {
		Object decoded = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
		if (!this.pathVariables.isEmpty() && !variables(arguments).equals(decoded)) {
			return "the server reads another path";
		}
		for (Named parameter : this.queryParameters) {
			List<String> expected = new ArrayList<>();
			values(arguments[parameter.position()]).forEach((value) -> expected.add(text(value)));
			String[] read = request.getParameterValues(parameter.name());
			if (!expected.equals((read != null) ? List.of(read) : List.of())) {
				return "the server reads another parameter " + parameter.name();
			}
		}
		for (Named header : this.headers) {
			for (Object value : values(arguments[header.position()])) {
				if (!text(value).equals(request.getHeader(header.name()))) {
					return "the server reads another header " + header.name();
				}
			}
		}
		String encoding = request.getCharacterEncoding();
		if (this.body && encoding != null && !StandardCharsets.UTF_8.name().equalsIgnoreCase(encoding)) {
			return "the request is read as " + encoding;
		}
		if (!this.cookies.isEmpty() && request.getCookies() == null
				&& this.cookies.stream().anyMatch((cookie) -> !values(arguments[cookie.position()]).isEmpty())) {
			return "the server reads no cookie";
		}
		return null;
	}

	/**
	 * Whether limits of servers on the length of a request's head, or on the number of
	 * its parameters, may apply.
	 * @param maxBytes the length that the server allows, with all headers
	 */
	boolean isLong(CallFrame frame, ConnectionFacts facts, int maxBytes) {
		int chars = 0;
		long others = (long) this.pattern.length() + this.servletPrefix.length();
		for (List<Named> all : List.of(this.pathVariables, this.queryParameters, this.headers, this.cookies)) {
			for (Named named : all) {
				Collection<?> values = values(frame.arguments()[named.position()]);
				if (values.size() > MAX_VALUES) {
					return true;
				}
				others += (long) values.size() * (named.name().length() + 1);
				for (Object value : values) {
					if (value instanceof String text) {
						chars += text.length();
					}
					else {
						others += length(value);
					}
				}
			}
		}
		if (chars > MAX_CHARS) {
			return true;
		}
		long most = HEAD_BYTES + ENCODED_CHAR * (others + chars);
		most += (long) ConnectionFacts.MAX_BYTES + this.declaredBytes;
		for (Map.Entry<String, String> header : frame.headers().entrySet()) {
			most += header.getKey().length() + header.getValue().length() + FIELD_BYTES;
		}
		return most > maxBytes && headBytes(frame, facts) > maxBytes;
	}

	/** The length of a value that is no text, or more. */
	private static int length(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name().length();
		}
		BigInteger digits = (value instanceof BigDecimal decimal) ? decimal.unscaledValue()
				: (value instanceof BigInteger integer) ? integer : BigInteger.ZERO;
		return SHORT_VALUE + digits.bitLength() / BITS_PER_DIGIT;
	}

	/** The length of the request line and all headers, or a little more. */
	private int headBytes(CallFrame frame, ConnectionFacts facts) {
		String query = query(frame.arguments());
		int bytes = HEAD_BYTES + path(frame.arguments()).length() + ((query != null) ? query.length() : 0);
		Map<String, List<String>> sentHeaders = RequestHeaders.of(this, frame, facts, (sent) -> new byte[0]).all();
		for (Map.Entry<String, List<String>> header : sentHeaders.entrySet()) {
			for (String value : header.getValue()) {
				bytes += header.getKey().length() + value.length() + FIELD_BYTES;
			}
		}
		return bytes;
	}

	/**
	 * Whether a body has become nothing, such as that of an object whose JSON is
	 * {@code null}.
	 */
	boolean lacksBody(@Nullable Object[] arguments) {
		for (int i = 0; i < this.parameters.length; i++) {
			if (arguments[i] == null && this.parameters[i].hasParameterAnnotation(RequestBody.class)) {
				return true;
			}
		}
		return false;
	}

	/** The text or bytes that are the body, or {@code null} if it is something else. */
	@Nullable Object plainBody(@Nullable Object[] arguments) {
		for (int i = 0; i < this.parameters.length; i++) {
			if (this.parameters[i].hasParameterAnnotation(RequestBody.class)
					&& (arguments[i] instanceof String || arguments[i] instanceof byte[])) {
				return arguments[i];
			}
		}
		return null;
	}

	/** The body as the HTTP client would have sent it. */
	byte[] body(CallFrame frame, RequestHeaders sent, JsonMapper mapper) {
		@Nullable Object[] arguments = frame.arguments();
		for (int i = 0; i < this.parameters.length; i++) {
			Object value = unwrapped(arguments[i]);
			if (value == null || !this.parameters[i].hasParameterAnnotation(RequestBody.class)) {
				continue;
			}
			if (value instanceof byte[] bytes) {
				return bytes;
			}
			return (value instanceof CharSequence text) ? text.toString().getBytes(charset(sent.get("content-type")))
					: mapper.writerFor(mapper.constructType(frame.method().argumentTypes().get(i)))
						.writeValueAsBytes(value);
		}
		return new byte[0];
	}

	private static Charset charset(List<String> contentType) {
		Charset charset = contentType.isEmpty() ? null : MediaType.parseMediaType(contentType.get(0)).getCharset();
		return (charset != null) ? charset : StandardCharsets.UTF_8;
	}

	/** The length of the body, or -1 if it is neither text nor bytes. */
	long plainLength(@Nullable Object[] arguments, Map<String, List<String>> headers) {
		Object body = plainBody(arguments);
		if (body instanceof byte[] bytes) {
			return bytes.length;
		}
		if (!(body instanceof String text)) {
			return -1;
		}
		return text.getBytes(charset(headers.getOrDefault("content-type", List.of()))).length;
	}

	/** The encoded query of the request, or {@code null}. */
	@Nullable String query(@Nullable Object[] arguments) {
		if (this.queryParameters.isEmpty()) {
			return null;
		}
		StringJoiner query = new StringJoiner("&");
		for (Named parameter : this.queryParameters) {
			for (Object value : values(arguments[parameter.position()])) {
				query.add(UriUtils.encode(parameter.name(), StandardCharsets.UTF_8) + "="
						+ UriUtils.encode(text(value), StandardCharsets.UTF_8));
			}
		}
		return (query.length() > 0) ? query.toString() : null;
	}

	/** Adds the headers that arguments fill. */
	void addArguments(@Nullable Object[] arguments, Map<String, List<String>> target) {
		for (Named header : this.headers) {
			List<String> values = new ArrayList<>();
			values(arguments[header.position()]).forEach((value) -> values.add(text(value)));
			if (!values.isEmpty()) {
				target.put(header.name().toLowerCase(Locale.ROOT), values);
			}
		}
		if (!this.cookies.isEmpty()) {
			Map<String, String> pairs = new LinkedHashMap<>();
			for (String known : target.getOrDefault("cookie", List.of())) {
				for (String pair : known.split("; ", -1)) {
					int equals = pair.indexOf('=');
					pairs.put((equals < 0) ? pair : pair.substring(0, equals), pair);
				}
			}
			for (Named cookie : this.cookies) {
				values(arguments[cookie.position()])
					.forEach((value) -> pairs.put(cookie.name(), cookie.name() + "=" + text(value)));
			}
			if (!pairs.isEmpty()) {
				target.put("cookie", List.of(String.join("; ", pairs.values())));
			}
		}
	}

	private static String text(@Nullable Object value) {
		if (value instanceof LocalDateTime time) {
			// Unlike toString(), with its seconds.
			return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
		}
		return (value instanceof Enum<?> constant) ? constant.name() : String.valueOf(value);
	}

	private static @Nullable Object unwrapped(@Nullable Object argument) {
		return (argument instanceof Optional<?> optional) ? optional.orElse(null) : argument;
	}

	private static Collection<?> values(@Nullable Object argument) {
		Object value = unwrapped(argument);
		if (value instanceof Object[] array) {
			return List.of(array);
		}
		return (value instanceof Collection<?> collection) ? collection : (value != null) ? List.of(value) : List.of();
	}

}
