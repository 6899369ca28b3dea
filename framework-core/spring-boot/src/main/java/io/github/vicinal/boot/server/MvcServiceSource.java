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
import io.github.vicinal.peer.ContractInquiry;
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

	/** Made when a client asks that shares no interface. */
	private final SingletonSupplier<HandlerStructures> structures;

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
		this.structures = SingletonSupplier.of(() -> HandlerStructures
			.of(context.getBeansOfType(RequestMappingHandlerMapping.class).values(), mapper));
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
					Map.of(), new ContractHandlers(List.of()), environment(null));
		}
		Examination examination = examination(container);
		ContractAgreement agreement = new ContractAgreement(contract,
				this.context.getEnvironment()::resolvePlaceholders);
		Map<Integer, String> httpOnly = new TreeMap<>();
		List<@Nullable HandlerTarget> targets = new ArrayList<>();
		for (ContractMethod method : contract.methods()) {
			Handler handler = handlers.get(method.index());
			String reason = (method.httpOnlyReason() == null) ? examination.eligibility().refusal(method, handler)
					: null;
			if (reason == null && method.httpOnlyReason() == null && handler != null) {
				String difference = agreement.difference(method, handler);
				reason = (difference != null) ? difference : examination.unlike(handler);
			}
			if (reason == null) {
				reason = examination.general(handler);
			}
			if (reason != null) {
				httpOnly.put(method.index(), reason);
			}
			targets.add((handler == null || reason != null || method.httpOnlyReason() != null) ? null
					: new HandlerTarget(contract, method, handler.method(),
							new RequestTemplate(contract, method, handler.method(), handler.pattern(),
									examination.prefix()),
							CompetingMappings.of(handler), examination.foreign(handler), examination.validation()));
		}
		leaveAsynchronous(targets, httpOnly);
		return new MvcService(contract, targets, refusal(targets, httpOnly), httpOnly, new ContractHandlers(handlers),
				environment(container));
	}

	@Override
	public @Nullable Service find(ContractInquiry.Structure structure) {
		if (!structure.base().equals(this.servletContext.getContextPath() + servletPrefix())) {
			return null;
		}
		HandlerStructures known = this.structures.obtain();
		List<HandlerStructures.@Nullable Match> matches = new ArrayList<>();
		List<ContractMethod> methods = new ArrayList<>();
		for (String hash : structure.methods()) {
			HandlerStructures.Match match = known.find(hash);
			methods.add(HandlerStructures.method(methods.size(), match));
			matches.add(match);
		}
		if (matches.stream().allMatch(Objects::isNull)) {
			return null;
		}
		Contract contract = Contract.structural(MvcServiceSource.class, methods, structure.hash());
		ServletContainer container = container();
		if (container == null) {
			return new MvcService(contract, Collections.nCopies(methods.size(), null), NO_CONTAINER, Map.of(),
					new ContractHandlers(List.of()), environment(null));
		}
		Examination examination = examination(container);
		Map<Integer, String> httpOnly = new TreeMap<>();
		List<@Nullable HandlerTarget> targets = new ArrayList<>();
		for (ContractMethod method : methods) {
			HandlerStructures.Match match = matches.get(method.index());
			String reason = method.httpOnlyReason();
			if (match != null) {
				reason = examination.eligibility().refusal(method, match.handler());
				reason = (reason != null) ? reason : examination.unlike(match.handler());
				reason = (reason != null) ? reason : examination.general(match.handler());
			}
			targets.add((match == null || reason != null) ? null : target(match, examination));
			if (reason != null) {
				httpOnly.put(method.index(), reason);
			}
		}
		return new MvcService(contract, targets, refusal(targets, httpOnly), httpOnly, new ContractHandlers(List.of()),
				environment(container));
	}

	private HandlerTarget target(HandlerStructures.Match match, Examination examination) {
		Handler handler = match.handler();
		String permitName = this.permits.distinguishes() ? match.name() : RequestPermits.OTHER;
		return HandlerTarget.byStructure(handler.method(), match.shape(), permitName,
				new RequestTemplate(match.httpMethod(), handler.method(), handler.pattern(), examination.prefix(),
						match.shape().valueClass()),
				CompetingMappings.of(handler), examination.foreign(handler), examination.validation());
	}

	private Examination examination(ServletContainer container) {
		ServletStack stack = new ServletStack(this.context, this.servletContext, container);
		return new Examination(stack, stack.hasForeignEncoding(), servletPrefix(),
				new Eligibility(this.context, this.codecs.mapper()), new SpringDefaults(this.context), validation());
	}

	/**
	 * Finds out what the server does to requests that typed calls do not know.
	 *
	 * @param stack what stands in front of handlers
	 * @param foreignEncoding whether texts have another encoding than UTF-8
	 * @param prefix the path of the dispatcher servlet, empty if it is the root
	 * @param eligibility looks at controllers
	 * @param defaults looks at how arguments and results are converted
	 * @param validation how arguments are validated
	 */
	private record Examination(ServletStack stack, boolean foreignEncoding, String prefix, Eligibility eligibility,
			SpringDefaults defaults, ArgumentValidation validation) {

		@Nullable String foreign(Handler handler) {
			return this.stack.foreign(handler, this.prefix);
		}

		@Nullable String unlike(Handler handler) {
			String difference = this.defaults.foreign(handler);
			return (difference != null) ? difference : CompetingMappings.always(handler);
		}

		@Nullable String general(@Nullable Handler handler) {
			String other = (handler != null) ? this.stack.otherServlet(this.prefix + handler.pattern()) : null;
			if (other != null) {
				return "the servlet %s may answer it".formatted(other);
			}
			return this.foreignEncoding
					? "spring.servlet.encoding sets a character encoding other than UTF-8, or forces the one of responses"
					: null;
		}

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
