package io.github.vicinal.boot.kit.security;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import jakarta.servlet.Filter;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;

/**
 * A server with something between its clients and its handlers, and calls to it. The
 * calls have to end alike over HTTP and on each path.
 */
final class Arrangement {

	private final String name;

	private final List<BiConsumer<GenericApplicationContext, Ledger>> beans = new ArrayList<>();

	private final List<Class<?>> configurations = new ArrayList<>();

	private final Map<String, Object> properties = new TreeMap<>();

	private final Map<String, Consumer<RestClient.Builder>> personas = new LinkedHashMap<>();

	private final List<Step> steps = new ArrayList<>();

	private final Map<String, String> toHttp = new TreeMap<>();

	private @Nullable String allToHttp;

	private boolean anyWay;

	private boolean onlyOwnSteps;

	private String description = "";

	private int registered;

	private Arrangement(String name) {
		this.name = name;
		this.personas.put("", (builder) -> {
		});
	}

	static Arrangement of(String name) {
		return new Arrangement(name);
	}

	/** Adds Spring Security as Boot sets it up, with two users and the chains to come. */
	Arrangement secured() {
		return with(SecuredServer.class);
	}

	Arrangement with(Class<?>... configurations) {
		this.configurations.addAll(Arrays.asList(configurations));
		return this;
	}

	/** Adds beans. */
	Arrangement beans(BiConsumer<GenericApplicationContext, Ledger> beans) {
		this.beans.add(beans);
		return this;
	}

	/** Adds a chain, behind those that were added before it. */
	Arrangement chain(ThrowingConsumer<HttpSecurity> chain) {
		int order = ++this.registered;
		return beans((context, ledger) -> context.registerBean("chain" + order, SecurityFilterChain.class, () -> {
			try {
				HttpSecurity http = context.getBean(HttpSecurity.class);
				chain.accept(http);
				return http.build();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}, (definition) -> definition.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, order)));
	}

	/** Adds a filter with an order: that of Spring Security's is -100. */
	Arrangement filter(int order, FilterFactory filter, String... urlPatterns) {
		String bean = "filter" + ++this.registered;
		return registration(bean, filter, (registration) -> {
			registration.setOrder(order);
			if (urlPatterns.length > 0) {
				registration.setUrlPatterns(Arrays.asList(urlPatterns));
			}
		});
	}

	/** Adds a filter whose registration is as the application wants it. */
	Arrangement registration(String bean, FilterFactory filter, Consumer<FilterRegistrationBean<Filter>> customizer) {
		return beans((context, ledger) -> context.registerBean(bean, FilterRegistrationBean.class, () -> {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter.create(ledger));
			registration.setName(bean);
			customizer.accept(registration);
			return registration;
		}));
	}

	Arrangement property(String name, Object value) {
		this.properties.put(name, value);
		return this;
	}

	/** Adds a client of its own, to which steps can refer. */
	Arrangement persona(String persona, Consumer<RestClient.Builder> client) {
		this.personas.put(persona, client);
		return this;
	}

	/** Adds a call of a client to the common ones. */
	Arrangement step(String name, String persona, Call call) {
		this.steps.add(new Step(name, persona, call));
		return this;
	}

	Arrangement step(String name, Call call) {
		return step(name, "", call);
	}

	/** Adds to the name what there is, for the reader of a failure. */
	Arrangement describedAs(String more) {
		this.description = more;
		return this;
	}

	/** Leaves the common calls out. */
	Arrangement onlyOwnSteps() {
		this.onlyOwnSteps = true;
		return this;
	}

	/**
	 * Says that all calls of some methods are left to HTTP. All others, and by default
	 * all, have to take the path.
	 * @param reason a part of the reason
	 * @param methods the methods, or none if there are no others
	 */
	Arrangement leftToHttp(String reason, String... methods) {
		if (methods.length == 0) {
			this.allToHttp = reason;
		}
		for (String method : methods) {
			this.toHttp.put(method, reason);
		}
		return this;
	}

	/** Does not ask how calls travel, where what stands in front is made up at random. */
	Arrangement anyWay() {
		this.anyWay = true;
		return this;
	}

	/** Returns part of the reason why a method is left to HTTP, or {@code null}. */
	@Nullable String reasonForHttp(String method) {
		return this.toHttp.getOrDefault(method, this.allToHttp);
	}

	boolean isAnyWay() {
		return this.anyWay;
	}

	List<Class<?>> configurations() {
		return this.configurations;
	}

	Map<String, Object> properties() {
		return this.properties;
	}

	Map<String, Consumer<RestClient.Builder>> personas() {
		return this.personas;
	}

	List<Step> steps() {
		List<Step> all = new ArrayList<>(this.onlyOwnSteps ? List.of() : Steps.COMMON);
		all.addAll(this.steps);
		return all;
	}

	void register(GenericApplicationContext context, Ledger ledger) {
		this.beans.forEach((each) -> each.accept(context, ledger));
	}

	@Override
	public String toString() {
		return this.description.isEmpty() ? this.name : this.name + " (" + this.description + ")";
	}

	/**
	 * One call.
	 *
	 * @param name the name of the call
	 * @param persona the client
	 * @param call what it calls
	 */
	record Step(String name, String persona, Call call) {
	}

	/** Action of a client. */
	@FunctionalInterface
	interface Call {

		/** Calls, with what earlier calls of this round have left in the memory. */
		@Nullable Object on(Vault vault, Map<String, String> memory) throws Exception;

	}

	/** Creates a filter that writes to a ledger. */
	@FunctionalInterface
	interface FilterFactory {

		Filter create(Ledger ledger);

	}

	/**
	 * A consumer that may fail.
	 *
	 * @param <T> what is consumed
	 */
	@FunctionalInterface
	interface ThrowingConsumer<T> {

		void accept(T value) throws Exception;

	}

}
