package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import feign.Capability;
import feign.Client;
import feign.InvocationHandlerFactory;
import feign.InvocationHandlerFactory.MethodHandler;
import feign.MethodHandlerConfiguration;
import feign.Request;
import feign.Target;
import io.github.vicinal.boot.client.ChannelGroupConfigurer.InstanceChooser;
import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.MappingAnnotations;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.channel.CacheableCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Gives channels to Feign clients: calls enter at the handlers of their methods, inside
 * of circuit breakers, and requests ask for paths in front of Feign's own client, behind
 * the load balancer. Thread-safe. Public because Feign calls it by reflection.
 *
 * @since 0.1.0
 */
public final class FeignChannels implements Capability {

	private static final Logger logger = LoggerFactory.getLogger(ClientChannels.class);

	private static final String APACHE = "feign.hc5.ApacheHttp5Client";

	private final Supplier<ClientChannels> channels;

	private final HttpLegs legs;

	private final Supplier<PlainRequests> plain;

	private final Supplier<@Nullable InstanceChooser> chooser;

	private final UnaryOperator<String> placeholders;

	/** The target of each client that has a channel, by context and interface. */
	private final Map<String, Target<?>> targets = new ConcurrentHashMap<>();

	FeignChannels(Supplier<ClientChannels> channels, HttpLegs legs, Supplier<PlainRequests> plain,
			Supplier<@Nullable InstanceChooser> chooser, UnaryOperator<String> placeholders) {
		this.channels = channels;
		this.legs = legs;
		this.plain = plain;
		this.chooser = chooser;
		this.placeholders = placeholders;
	}

	@Override
	public Client enrich(Client client) {
		try {
			Client balanced = FeignBalancers.within(client, this::asking);
			return (balanced != null) ? balanced : asking(client);
		}
		catch (UnknownLayoutException ex) {
			logger.warn("Feign clients with {} have no typed calls: it cannot be inspected ({})",
					client.getClass().getName(), ex.getMessage());
			return client;
		}
	}

	private Client asking(Client client) {
		if (client.getClass().getName().equals(APACHE)) {
			try {
				return FeignApacheClient.wrapped(this.legs, client);
			}
			catch (UnknownLayoutException ex) {
				return client;
			}
		}
		boolean known = client.getClass() == Client.Default.class
				|| (client instanceof UrlConnectionClient && !(client instanceof FeignChannelClient));
		return known ? new FeignChannelClient(this.legs, client, this.plain.get()) : client;
	}

	@Override
	public InvocationHandlerFactory enrich(InvocationHandlerFactory factory) {
		return (target, dispatch) -> factory.create(target, entered(target, dispatch));
	}

	@SuppressWarnings("rawtypes")
	private Map<Method, MethodHandler> entered(Target target, Map<Method, MethodHandler> dispatch) {
		Map<Method, MethodHandler> handlers = new LinkedHashMap<>();
		Map<Method, MethodHandlerConfiguration> configurations = new LinkedHashMap<>();
		try {
			for (Map.Entry<Method, MethodHandler> each : dispatch.entrySet()) {
				MethodHandlerConfiguration configuration = FeignAdditions.configuration(each.getValue());
				if (configuration != null) {
					configurations.put(each.getKey(), configuration);
					handlers.put(each.getKey(), each.getValue());
				}
			}
			ClientChannel channel = configurations.isEmpty() ? null : channel(target, handlers, configurations);
			return (channel != null) ? entered(channel, target, dispatch, configurations) : dispatch;
		}
		catch (UnknownLayoutException ex) {
			logger.warn("The Feign client {} has no typed calls: it cannot be inspected ({})", target.type().getName(),
					ex.getMessage());
			return dispatch;
		}
	}

	private static Map<Method, MethodHandler> entered(ClientChannel channel, Target<?> target,
			Map<Method, MethodHandler> dispatch, Map<Method, MethodHandlerConfiguration> configurations) {
		Map<Method, MethodHandler> entered = new LinkedHashMap<>(dispatch);
		configurations.forEach((method, configuration) -> {
			MethodPlan plan = channel.plan(method);
			MethodHandler handler = dispatch.get(method);
			if (plan != null && handler != null) {
				entered.put(method, new Entry(channel, plan, target, handler, configuration.getOptions()));
			}
		});
		return entered;
	}

	private @Nullable ClientChannel channel(Target<?> target, Map<Method, MethodHandler> handlers,
			Map<Method, MethodHandlerConfiguration> configurations) throws UnknownLayoutException {
		Class<?> type = target.type();
		FeignClient annotation = AnnotatedElementUtils.findMergedAnnotation(type, FeignClient.class);
		String context = context(annotation, target);
		MappingAnnotations mapping = new MappingAnnotations(type, prefix(annotation));
		Map<Method, String> methods = new LinkedHashMap<>();
		configurations.forEach((method, configuration) -> methods.put(method,
				FeignMethods.difference(configuration.getMetadata(), mapping, this.placeholders)));
		MethodHandlerConfiguration first = configurations.values().iterator().next();
		Client client = FeignAdditions.client(handlers.values().iterator().next());
		Client inner = FeignBalancers.inner(client);
		String serviceId = (inner != null) ? URI.create(target.url()).getHost() : null;
		InstanceChooser choosing = this.chooser.get();
		CallTargets peers = (serviceId != null && choosing != null && choosing.available())
				? () -> choosing.choose(serviceId) : CallTargets.FIXED;
		ClientFacts facts = new ClientFacts(context, type.getSimpleName(), true, peers, serviceId, false,
				timeout(first.getOptions()), List.of(),
				new FeignKind(mapping, methods, !FeignAdditions.isApache((inner != null) ? inner : client)));
		ClientChannel channel = this.channels.get().channel(type, facts);
		if (channel == null || !isOnly(context, target) || saysOtherwise(type, methods)) {
			return null;
		}
		warnOfCaches(methods.keySet());
		channel.clientOfKind(new FeignAdditions.Handlers(new ArrayList<>(handlers.values())));
		return channel;
	}

	private static void warnOfCaches(Collection<Method> methods) {
		for (Method method : methods) {
			if (AnnotatedElementUtils.hasAnnotation(method, CacheableCall.class)) {
				logger.warn("@CacheableCall on {}.{} has no effect on a Feign client. Use Spring's @Cacheable",
						method.getDeclaringClass().getName(), method.getName());
			}
		}
	}

	/**
	 * Two clients of one channel would send the calls of one to the peer of the other.
	 */
	private boolean isOnly(String context, Target<?> target) {
		Target<?> known = this.targets.putIfAbsent(context + " " + target.type().getName(), target);
		boolean same = known == null || known == target
				|| (known.getClass() == Target.HardCodedTarget.class && known.equals(target));
		if (!same) {
			logger.warn("A second Feign client {} with the context '{}' has no typed calls, because the first one has "
					+ "another target. Give it a contextId of its own", target.type().getName(), context);
		}
		return same;
	}

	private static boolean saysOtherwise(Class<?> type, Map<Method, String> methods) {
		boolean both = AnnotatedElementUtils.hasAnnotation(type, HttpExchange.class) || methods.keySet()
			.stream()
			.anyMatch((method) -> AnnotatedElementUtils.hasAnnotation(method, HttpExchange.class));
		if (both) {
			logger.warn("The Feign client {} has no typed calls, because it also has @HttpExchange", type.getName());
		}
		return both;
	}

	/**
	 * Returns the Feign clients of an application, most of which are made when they are
	 * needed for the first time.
	 */
	static Map<Class<?>, String> declared(ListableBeanFactory beanFactory, UnaryOperator<String> placeholders) {
		Map<Class<?>, String> declared = new LinkedHashMap<>();
		for (String bean : beanFactory.getBeanNamesForAnnotation(FeignClient.class)) {
			Class<?> type = beanFactory.getType(bean, false);
			FeignClient annotation = (type != null && type.isInterface())
					? AnnotatedElementUtils.findMergedAnnotation(type, FeignClient.class) : null;
			if (type != null && annotation != null) {
				String context = placeholders.apply(annotation.contextId());
				declared.put(type, !context.isEmpty() ? context : placeholders.apply(annotation.name()));
			}
		}
		return declared;
	}

	private String context(@Nullable FeignClient annotation, Target<?> target) {
		if (annotation == null) {
			return target.name();
		}
		String context = this.placeholders.apply(annotation.contextId());
		String name = this.placeholders.apply(annotation.name());
		return (!context.isEmpty() && name.equals(target.name())) ? context : target.name();
	}

	/** As Spring Cloud puts it behind the URL. */
	private String prefix(@Nullable FeignClient annotation) {
		String path = (annotation != null) ? this.placeholders.apply(annotation.path()).strip() : "";
		if (path.isEmpty()) {
			return "";
		}
		String begun = path.startsWith("/") ? path : "/" + path;
		return begun.endsWith("/") ? begun.substring(0, begun.length() - 1) : begun;
	}

	private static @Nullable Duration timeout(Request.Options options) {
		return (options.readTimeoutMillis() > 0) ? Duration.ofMillis(options.readTimeoutMillis()) : null;
	}

	/**
	 * The entry of the calls of one method.
	 *
	 * @param channel the channel
	 * @param plan the plan of the method
	 * @param target what makes requests of the client known
	 * @param handler makes the call over HTTP
	 * @param options the options of the client, which may say something else for a method
	 * and a thread
	 */
	private record Entry(ClientChannel channel, MethodPlan plan, Target<?> target, MethodHandler handler,
			Request.Options options) implements MethodHandler {

		private static final Object[] NONE = {};

		@Override
		public @Nullable Object invoke(Object @Nullable [] arguments) throws Throwable {
			if (this.options.getMethodOptions(this.plan.method().method().getName()) != this.options) {
				return this.handler.invoke(arguments);
			}
			Original original = () -> {
				HttpLeg leg = this.channel.legs().current();
				if (leg != null) {
					leg.madeBy(this.target);
				}
				return this.handler.invoke(arguments);
			};
			return new ClientCall(this.channel, this.plan, Timing.SYNC, (arguments != null) ? arguments : NONE,
					original)
				.make();
		}

	}

}
