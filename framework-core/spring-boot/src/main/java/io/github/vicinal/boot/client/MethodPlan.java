package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.net.URI;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.github.vicinal.boot.contract.ArgumentRule;
import io.github.vicinal.boot.contract.ClientAnnotations;
import io.github.vicinal.boot.contract.ExchangeAnnotations;
import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathException;
import io.micrometer.context.ContextSnapshot;
import org.jspecify.annotations.Nullable;

/** Plan of a contract method's calls, made before it is called. */
final class MethodPlan implements CacheableMethod {

	private static final String OWN_URL = "its annotation names a URL with a host of its own";

	private static final String ANYTHING = ".*";

	private static final Pattern WITH_HOST = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://.*");

	static final String REDIRECTED = "it is answered with a redirect, which HTTP clients may follow";

	static final String UNREADABLE = "its last results over paths could not be read here";

	private static final int MOST_UNREADABLE = 3;

	/** For that long a method of which a result could not be read goes over HTTP. */
	private static final long UNREADABLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final ContractMethod method;

	private final ResultShape shape;

	private final ArgumentRule[] rules;

	private final String httpMethod;

	private final String path;

	private final boolean anyArguments;

	/** Pattern of the request's path, which may begin with that of the base URL. */
	private final Pattern requestPath;

	/** Whether the method's own annotation names another host than the base URL does. */
	private final boolean ownUrl;

	/** Positions of the arguments that may name another host than the base URL does. */
	private final int[] urlArguments;

	private final CallSeriesPair.Cache series = new CallSeriesPair.Cache();

	private final OwnSeries.Cache ownSeries = new OwnSeries.Cache();

	/**
	 * Whether the method has been answered with a redirect, and goes by HTTP since.
	 */
	private volatile boolean redirected;

	/** Number of results in a row that could not be read; updates may get lost. */
	private volatile int unreadable;

	/** Time at which the last of them came, by the monotonic clock. */
	private volatile long unreadableAt;

	/** Names of query parameters by argument; empty if the method has none. */
	private final @Nullable String[] queryNames;

	/** Names of headers by argument, in lower case. */
	private final @Nullable String[] headerNames;

	/** Names of variables of the path by argument. */
	private final @Nullable String[] pathNames;

	private final boolean accept;

	private final boolean version;

	/** Whether Spring sends a default value where the argument is missing. */
	private final boolean[] headerDefaults;

	/** Whether requests have a body. */
	private final boolean body;

	/** Creates the plan of a method of an HTTP interface. */
	MethodPlan(Class<?> type, ContractMethod method, UnaryOperator<String> placeholders) {
		this(type, new ExchangeAnnotations(type), method, placeholders);
	}

	/**
	 * Creates the plan of a method.
	 * @param type the interface
	 * @param annotations what its annotations say
	 * @param placeholders resolves the placeholders of paths
	 */
	MethodPlan(Class<?> type, ClientAnnotations annotations, ContractMethod method,
			UnaryOperator<String> placeholders) {
		Method declared = method.method();
		this.method = method;
		this.shape = ResultShape.of(type, declared);
		this.rules = (method.httpOnlyReason() != null) ? new ArgumentRule[0] : annotations.rules(method);
		this.httpMethod = annotations.httpMethod(declared);
		this.path = placeholders.apply(annotations.path(declared));
		this.requestPath = requestPath(this.path);
		this.queryNames = queryNames(annotations, method);
		this.headerNames = annotations.headerNames(method);
		this.headerDefaults = annotations.headerDefaults(method);
		this.pathNames = annotations.pathNames(method);
		this.accept = annotations.hasAccept(declared);
		this.version = annotations.hasVersion(declared);
		this.body = annotations.hasBody(declared);
		boolean any = true;
		for (ArgumentRule rule : this.rules) {
			any &= rule == ArgumentRule.ANY;
		}
		this.anyArguments = any;
		this.ownUrl = WITH_HOST.matcher(annotations.ownUrl(declared)).matches();
		this.urlArguments = annotations.urlArguments(declared);
	}

	/** Notes that the method was answered with a redirect. */
	void redirected() {
		this.redirected = true;
	}

	/**
	 * Notes that a result of the method could not be read. Such a call is repeated over
	 * HTTP to end as it would have there, so its handler may run twice. A single value
	 * may have been the cause; after {@value #MOST_UNREADABLE} results in a row, calls
	 * are made once, over HTTP, for a minute.
	 */
	void unreadable() {
		this.unreadableAt = System.nanoTime();
		this.unreadable = Math.min(this.unreadable + 1, MOST_UNREADABLE);
	}

	/** Notes that a result of the method could be read. */
	void readable() {
		if (this.unreadable != 0) {
			this.unreadable = 0;
		}
	}

	private boolean isUnreadable() {
		if (this.unreadable < MOST_UNREADABLE) {
			return false;
		}
		if (System.nanoTime() - this.unreadableAt > UNREADABLE_NANOS) {
			this.unreadable = 0;
			return false;
		}
		return true;
	}

	/**
	 * Returns whether a call goes where it says itself, and not to the service that the
	 * client is for.
	 */
	boolean goesElsewhere(@Nullable Object[] arguments) {
		for (int position : this.urlArguments) {
			Object url = arguments[position];
			if (url instanceof Optional<?> optional) {
				url = optional.orElse(null);
			}
			if (url != null && !(url instanceof URI uri && !uri.isAbsolute())) {
				return true;
			}
		}
		return this.ownUrl;
	}

	/**
	 * Returns whether a request can be that of a call: of its HTTP method, and with a
	 * path that ends as that of the method does.
	 */
	boolean matches(String requestMethod, URI uri, @Nullable Object[] arguments) {
		if (!this.httpMethod.isEmpty() && !this.httpMethod.equals(requestMethod)) {
			return false;
		}
		String actual = uri.getPath();
		return goesElsewhere(arguments) || this.requestPath.matcher((actual != null) ? actual : "").matches();
	}

	/** Variables may become anything, several segments or nothing. */
	private static Pattern requestPath(String template) {
		StringBuilder pattern = new StringBuilder(ANYTHING);
		int depth = 0;
		for (int i = 0; i < template.length(); i++) {
			char next = template.charAt(i);
			if (next == '{') {
				depth++;
			}
			else if (next == '}' && depth > 0) {
				depth--;
				pattern.append(ANYTHING);
			}
			else if (next == '?' && depth == 0) {
				break;
			}
			else if (depth == 0 && !template.startsWith("${", i)) {
				pattern.append(Pattern.quote(String.valueOf(next)));
			}
		}
		return Pattern.compile(pattern.toString(), Pattern.DOTALL);
	}

	@Override
	public ContractMethod method() {
		return this.method;
	}

	@Override
	public ResultShape shape() {
		return this.shape;
	}

	@Override
	public String httpMethod() {
		return this.httpMethod;
	}

	String path() {
		return this.path;
	}

	@Nullable String[] queryNames() {
		return this.queryNames;
	}

	CallSeriesPair.Cache series() {
		return this.series;
	}

	OwnSeries.Cache ownSeries() {
		return this.ownSeries;
	}

	private static @Nullable String[] queryNames(ClientAnnotations annotations, ContractMethod method) {
		@Nullable String[] names = annotations.queryNames(method);
		for (String name : names) {
			if (name != null) {
				return names;
			}
		}
		return new @Nullable String[0];
	}

	@Nullable String[] pathNames() {
		return this.pathNames;
	}

	/** Returns the names of the headers that arguments may fill, in lower case. */
	Set<String> headerNames() {
		Set<String> names = new HashSet<>();
		for (String name : this.headerNames) {
			if (name != null) {
				names.add(name);
			}
		}
		return names;
	}

	/** Returns whether the contract says what media types are accepted. */
	boolean hasAccept() {
		return this.accept;
	}

	/** Returns whether the contract names an API version. */
	boolean hasVersion() {
		return this.version;
	}

	/** Returns whether a request has a body. */
	boolean hasBody() {
		return this.body;
	}

	@Override
	public Set<String> explainedHeaders(@Nullable Object[] arguments) {
		Set<String> names = new HashSet<>();
		for (int i = 0; i < arguments.length; i++) {
			String name = this.headerNames[i];
			if (name != null && (arguments[i] != null || this.headerDefaults[i])) {
				names.add(name);
			}
		}
		return names;
	}

	@Override
	public RuntimeException raised(PathException failure) {
		return ClientFailures.ofRestClient(this.httpMethod, this.path, failure);
	}

	@Override
	@SuppressWarnings("try")
	public <T extends @Nullable Object> T asSubscriber(Object subscription, Supplier<T> part) {
		try (ContextSnapshot.Scope scope = CallerContext.of(subscription, null).open()) {
			return part.get();
		}
	}

	/** Returns why such a call must go over HTTP, or {@code null}. */
	@Nullable String onlyHttpBecause(@Nullable Object[] arguments) {
		if (this.redirected) {
			return REDIRECTED;
		}
		if (isUnreadable()) {
			return UNREADABLE;
		}
		if (this.ownUrl) {
			return OWN_URL;
		}
		if (this.anyArguments) {
			return null;
		}
		for (int i = 0; i < this.rules.length; i++) {
			String reason = this.rules[i].onlyHttpBecause(arguments[i]);
			if (reason != null) {
				return reason;
			}
		}
		return null;
	}

}
