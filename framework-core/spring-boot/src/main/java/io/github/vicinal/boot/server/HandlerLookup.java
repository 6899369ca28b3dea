package io.github.vicinal.boot.server;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Finds the controllers that implement a contract, through Spring MVC's mappings. Used by
 * one thread.
 */
final class HandlerLookup {

	private final Collection<RequestMappingHandlerMapping> mappings;

	/** Each handler method asks for the interfaces of its controller. */
	private final Map<Class<?>, Contract> contracts = new HashMap<>();

	HandlerLookup(Collection<RequestMappingHandlerMapping> mappings) {
		this.mappings = List.copyOf(mappings);
	}

	/**
	 * The handler of a contract method.
	 *
	 * @param method the handler method, with its bean resolved
	 * @param pattern the path pattern that it is mapped to
	 * @param info all that it is mapped to
	 * @param mapping the mapping that knows it
	 * @param singleton whether all requests have the same bean
	 */
	record Handler(HandlerMethod method, String pattern, RequestMappingInfo info, RequestMappingHandlerMapping mapping,
			boolean singleton) {
	}

	/** Finds the interface of a name among those that controllers implement. */
	@Nullable Class<?> contractType(String name) {
		for (RequestMappingHandlerMapping mapping : this.mappings) {
			for (HandlerMethod handler : mapping.getHandlerMethods().values()) {
				for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(handler.getBeanType())) {
					if (type.getName().equals(name) && !contract(type).methods().isEmpty()) {
						return type;
					}
				}
			}
		}
		return null;
	}

	/**
	 * Returns the class name of the contract that a handler implements, or {@code null}.
	 */
	@Nullable String contractName(HandlerMethod handler) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(handler.getBeanType())) {
			for (ContractMethod method : contract(type).methods()) {
				Method implementation = AopUtils.getMostSpecificMethod(method.method(), handler.getBeanType());
				if (isSame(handler.getMethod(), implementation) || isSame(handler.getMethod(), method.method())) {
					return type.getName();
				}
			}
		}
		return null;
	}

	private Contract contract(Class<?> type) {
		return this.contracts.computeIfAbsent(type, ExchangeContractReader::contract);
	}

	/**
	 * Finds the handlers of a contract.
	 * @return a handler for each method, in order; {@code null} where none is mapped to
	 * exactly one path
	 */
	List<@Nullable Handler> handlers(Contract contract) {
		List<@Nullable Handler> handlers = new ArrayList<>();
		for (ContractMethod method : contract.methods()) {
			handlers.add(handler(contract.type(), method.method()));
		}
		return handlers;
	}

	private static boolean isSingleton(HandlerMethod handler, RequestMappingHandlerMapping mapping) {
		ApplicationContext context = mapping.getApplicationContext();
		return context == null || !(handler.getBean() instanceof String name) || context.isSingleton(name);
	}

	/** Compilers add methods that only call an inherited one of the same signature. */
	private static boolean isSame(Method one, Method other) {
		return one.getName().equals(other.getName())
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

	/** Describes a handler that is mapped to exactly one path. */
	static Handler handler(RequestMappingInfo info, HandlerMethod method, RequestMappingHandlerMapping mapping) {
		return new Handler(method.createWithResolvedBean(), info.getPatternValues().iterator().next(), info, mapping,
				isSingleton(method, mapping));
	}

	private @Nullable Handler handler(Class<?> type, Method method) {
		for (RequestMappingHandlerMapping mapping : this.mappings) {
			for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
				HandlerMethod candidate = entry.getValue();
				if (!type.isAssignableFrom(candidate.getBeanType())) {
					continue;
				}
				Method implementation = AopUtils.getMostSpecificMethod(method, candidate.getBeanType());
				if (isSame(candidate.getMethod(), implementation) || isSame(candidate.getMethod(), method)) {
					return (entry.getKey().getPatternValues().size() == 1) ? handler(entry.getKey(), candidate, mapping)
							: null;
				}
			}
		}
		return null;
	}

}
