package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.Service;
import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.validation.Validator;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.annotation.HandlerMethodValidator;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.i18n.AcceptHeaderLocaleResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Builds services from the controllers of a Spring MVC application. */
final class MvcServiceSource implements ServiceCatalog.ServiceSource {

	private static final String NO_CONTAINER = "its web server is not the embedded Tomcat of Spring Boot, whose "
			+ "filters typed calls can pass";

	private static final boolean TOMCAT = ClassUtils.isPresent("org.springframework.boot.tomcat.TomcatWebServer",
			MvcServiceSource.class.getClassLoader());

	private final ApplicationContext context;

	private final ServletContext servletContext;

	private final Codecs codecs;

	private final JsonMapper mapper;

	private final ThreadIsolation isolation;

	private final ServerObservation observation;

	private final RequestPermits permits;

	private final ConnectionTickets tickets;

	/**
	 * Creates the source.
	 * @param context the application
	 * @param servletContext its servlet context
	 * @param codecs its codecs
	 * @param mapper its JSON mapper
	 * @param isolation keeps the caller's thread state away from handlers
	 * @param observation observes calls
	 * @param permits gives permits
	 * @param tickets name the connections of clients
	 */
	public MvcServiceSource(ApplicationContext context, ServletContext servletContext, Codecs codecs, JsonMapper mapper,
			ThreadIsolation isolation, ServerObservation observation, RequestPermits permits,
			ConnectionTickets tickets) {
		this.context = context;
		this.servletContext = servletContext;
		this.codecs = codecs;
		this.mapper = mapper;
		this.isolation = isolation;
		this.observation = observation;
		this.permits = permits;
		this.tickets = tickets;
	}

	@Override
	public @Nullable Service find(String contractName) {
		HandlerLookup lookup = new HandlerLookup(
				this.context.getBeansOfType(RequestMappingHandlerMapping.class).values());
		Class<?> type = lookup.contractType(contractName);
		if (type == null) {
			return null;
		}
		Contract contract = ExchangeContractReader.contract(type);
		List<@Nullable Handler> handlers = lookup.handlers(contract);
		ServletContainer container = container();
		if (container == null) {
			return new MvcService(contract, Collections.nCopies(contract.methods().size(), null), NO_CONTAINER,
					Map.of(), environment(null));
		}
		ServletStack stack = new ServletStack(this.context, this.servletContext, container);
		boolean foreignEncoding = stack.hasForeignEncoding();
		String prefix = servletPrefix();
		Eligibility eligibility = new Eligibility(this.context, this.codecs.mapper());
		ContractAgreement agreement = new ContractAgreement(contract,
				this.context.getEnvironment()::resolvePlaceholders);
		SpringDefaults defaults = new SpringDefaults(this.context);
		Map<Integer, String> httpOnly = new TreeMap<>();
		List<@Nullable HandlerTarget> targets = new ArrayList<>();
		ArgumentValidation validation = validation();
		for (ContractMethod method : contract.methods()) {
			Handler handler = handlers.get(method.index());
			String reason = (method.httpOnlyReason() == null) ? eligibility.refusal(method, handler) : null;
			if (reason == null && method.httpOnlyReason() == null && handler != null) {
				reason = unlike(agreement, defaults, method, handler);
			}
			String other = (reason == null && handler != null) ? stack.otherServlet(prefix + handler.pattern()) : null;
			if (reason == null && foreignEncoding) {
				reason = "spring.servlet.encoding sets a character encoding other than UTF-8, or forces the one of responses";
			}
			if (other != null) {
				reason = "the servlet %s may answer it".formatted(other);
			}
			if (reason != null) {
				httpOnly.put(method.index(), reason);
			}
			targets.add((handler == null || reason != null || method.httpOnlyReason() != null) ? null
					: new HandlerTarget(contract, method, handler.method(),
							new RequestTemplate(contract, method, handler.method(), handler.pattern(), prefix),
							CompetingMappings.of(handler), stack.foreign(handler, prefix), validation));
		}
		leaveAsynchronous(targets, httpOnly);
		return new MvcService(contract, targets, refusal(targets, httpOnly), httpOnly, environment(container));
	}

	/**
	 * Returns what the server does to requests of the contract that typed calls do not
	 * know.
	 */
	private static @Nullable String unlike(ContractAgreement agreement, SpringDefaults defaults, ContractMethod method,
			Handler handler) {
		String difference = agreement.difference(method, handler);
		if (difference == null) {
			difference = defaults.foreign(handler);
		}
		return (difference != null) ? difference : CompetingMappings.always(handler);
	}

	/** Filters would see two dispatches of an asynchronous request. */
	private static void leaveAsynchronous(List<@Nullable HandlerTarget> targets, Map<Integer, String> httpOnly) {
		for (int i = 0; i < targets.size(); i++) {
			HandlerTarget target = targets.get(i);
			if (target != null && target.foreign() != null && !target.isSynchronous()) {
				targets.set(i, null);
				httpOnly.put(i, "%s answers asynchronously behind %s".formatted(target.handler().getShortLogMessage(),
						target.foreign()));
			}
		}
	}

	private MvcService.Environment environment(@Nullable ServletContainer container) {
		return new MvcService.Environment(this.servletContext, container, this.codecs, this.isolation, this.observation,
				failures(), SingletonSupplier.of(() -> ResultWriter.of(this.context)), this.permits, this.tickets,
				locales());
	}

	/**
	 * Returns what resolves locales, or {@code null} if it does no more than requests.
	 */
	private @Nullable LocaleResolver locales() {
		String name = DispatcherServlet.LOCALE_RESOLVER_BEAN_NAME;
		LocaleResolver resolver = this.context.containsBean(name) ? this.context.getBean(name, LocaleResolver.class)
				: null;
		boolean plain = resolver instanceof AcceptHeaderLocaleResolver accepting
				&& resolver.getClass() == AcceptHeaderLocaleResolver.class && accepting.getSupportedLocales().isEmpty()
				&& accepting.resolveLocale(FrameRequest.saying(Locale.ROOT)).equals(Locale.ROOT);
		return plain ? null : resolver;
	}

	/** Returns the container, or {@code null} if typed calls cannot pass it. */
	private @Nullable ServletContainer container() {
		WebServer server = (this.context instanceof WebServerApplicationContext web) ? web.getWebServer() : null;
		return (TOMCAT && server != null) ? Tomcat.container(server, this.servletContext) : null;
	}

	/** The path of the dispatcher servlet, empty if it is the root. */
	private String servletPrefix() {
		DispatcherServletPath path = this.context.getBeanProvider(DispatcherServletPath.class).getIfAvailable();
		String prefix = (path != null) ? path.getPrefix() : "";
		return prefix.equals("/") ? "" : prefix;
	}

	/** The reason for the whole contract: that of all methods. */
	private static String refusal(List<@Nullable HandlerTarget> targets, Map<Integer, String> httpOnly) {
		if (targets.stream().allMatch(Objects::isNull)) {
			return httpOnly.isEmpty() ? "typed paths can carry none of its methods"
					: String.join(", ", new TreeSet<>(httpOnly.values()));
		}
		return "";
	}

	private ArgumentValidation validation() {
		RequestMappingHandlerAdapter adapter = this.context.getBeanProvider(RequestMappingHandlerAdapter.class)
			.getIfAvailable();
		Validator validator = (adapter != null
				&& adapter.getWebBindingInitializer() instanceof ConfigurableWebBindingInitializer initializer)
						? initializer.getValidator() : null;
		return new ArgumentValidation(validator, (adapter != null) ? methodValidator(adapter) : null);
	}

	private @Nullable HandlerMethodValidator methodValidator(RequestMappingHandlerAdapter adapter) {
		if (!ClassUtils.isPresent("jakarta.validation.Validator", this.context.getClassLoader())) {
			return null;
		}
		return (HandlerMethodValidator.from(adapter.getWebBindingInitializer(), new DefaultParameterNameDiscoverer(),
				(parameter) -> false,
				(parameter) -> parameter
					.hasParameterAnnotation(RequestParam.class)) instanceof HandlerMethodValidator validator)
							? validator : null;
	}

	private HandlerFailures failures() {
		List<HandlerExceptionResolver> resolvers = new ArrayList<>(BeanFactoryUtils
			.beansOfTypeIncludingAncestors(this.context, HandlerExceptionResolver.class, true, false)
			.values());
		AnnotationAwareOrderComparator.sort(resolvers);
		return new HandlerFailures(resolvers, this.context.getBeanProvider(BasicErrorController.class).getIfAvailable(),
				this.mapper, new ErrorViews(this.context));
	}

	/** Loaded only where Tomcat is. */
	private static final class Tomcat {

		private Tomcat() {
		}

		static @Nullable ServletContainer container(WebServer server, ServletContext servletContext) {
			return (server instanceof TomcatWebServer tomcat)
					? TomcatContainer.of(tomcat, servletContext.getContextPath()) : null;
		}

	}

}
