package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

import jakarta.servlet.ServletContext;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.boot.webmvc.autoconfigure.error.BasicErrorController;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Validator;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.method.annotation.HandlerMethodValidator;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.boot.server.HandlerLookup.Handler;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.server.Service;

/** Builds services from the controllers of a Spring MVC application. */
public final class MvcServiceSource implements ServiceCatalog.ServiceSource {

	private final ApplicationContext context;

	private final ServletContext servletContext;

	private final Codecs codecs;

	private final JsonMapper mapper;

	private final ThreadIsolation isolation;

	private final ServerObservation observation;

	private final RequestTurns turns;

	/**
	 * Creates the source.
	 * @param context the application
	 * @param servletContext its servlet context
	 * @param codecs its codecs
	 * @param mapper its JSON mapper
	 * @param isolation keeps the caller's thread state away from handlers
	 * @param observation observes calls
	 * @param turns lets so many calls run at once
	 */
	public MvcServiceSource(ApplicationContext context, ServletContext servletContext, Codecs codecs, JsonMapper mapper,
			ThreadIsolation isolation, ServerObservation observation, RequestTurns turns) {
		this.context = context;
		this.servletContext = servletContext;
		this.codecs = codecs;
		this.mapper = mapper;
		this.isolation = isolation;
		this.observation = observation;
		this.turns = turns;
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
		Eligibility eligibility = new Eligibility(this.context, this.servletContext);
		Map<Integer, String> httpOnly = new TreeMap<>();
		List<@Nullable HandlerTarget> targets = new ArrayList<>();
		ArgumentValidation validation = validation();
		for (ContractMethod method : contract.methods()) {
			Handler handler = handlers.get(method.index());
			String reason = (method.httpOnlyReason() == null) ? eligibility.refusal(contract, method, handler) : null;
			if (reason != null) {
				httpOnly.put(method.index(), reason);
			}
			targets.add((handler == null || reason != null || method.httpOnlyReason() != null) ? null
					: new HandlerTarget(contract, method, handler.method(), handler.pattern(), validation));
		}
		String refusal = refusal(targets, httpOnly);
		return new MvcService(contract, targets, refusal, httpOnly, new MvcService.Environment(this.servletContext,
				this.codecs, this.isolation, this.observation, failures(), this.turns));
	}

	/** The reason for the whole contract: one of the application's, or all methods'. */
	private String refusal(List<@Nullable HandlerTarget> targets, Map<Integer, String> httpOnly) {
		for (ErrorController controller : this.context.getBeansOfType(ErrorController.class).values()) {
			if (!(controller instanceof BasicErrorController)) {
				return "the application has its own error controller %s"
					.formatted(controller.getClass().getSimpleName());
			}
		}
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
				this.mapper);
	}

}
