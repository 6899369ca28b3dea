package io.github.vicinal.boot.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.replica.Replica;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.Request;
import org.springframework.cloud.loadbalancer.core.DelegatingServiceInstanceListSupplier;
import org.springframework.cloud.loadbalancer.core.ServiceInstanceListSupplier;

/**
 * Reduces the instances that an application's own supplier names to the one that a
 * channel has chosen, so that any load balancer takes that one. Requests of others see
 * all instances.
 */
final class LocalityServiceInstanceListSupplier extends DelegatingServiceInstanceListSupplier {

	private static final String ZONE = "zone";

	private final HttpLegs legs;

	/** Another one of this kind stands before this one. */
	private volatile boolean passes;

	private LocalityServiceInstanceListSupplier(ServiceInstanceListSupplier delegate, HttpLegs legs) {
		super(delegate);
		this.legs = legs;
	}

	/**
	 * Returns what puts this supplier before those of a load balancer.
	 * @param legs knows the calls of channels
	 * @return a post-processor for a load balancer's context
	 */
	public static BeanPostProcessor wrapping(Supplier<HttpLegs> legs) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof ServiceInstanceListSupplier supplier) ? wrap(supplier, legs.get()) : bean;
			}

		};
	}

	/**
	 * Only the first supplier of a chain chooses: the others would hide instances.
	 */
	private static ServiceInstanceListSupplier wrap(ServiceInstanceListSupplier supplier, HttpLegs legs) {
		ServiceInstanceListSupplier next = supplier;
		while (next instanceof DelegatingServiceInstanceListSupplier delegating) {
			if (delegating instanceof LocalityServiceInstanceListSupplier own) {
				own.passes = true;
			}
			next = delegating.getDelegate();
		}
		return new LocalityServiceInstanceListSupplier(supplier, legs);
	}

	@Override
	public Flux<List<ServiceInstance>> get() {
		return this.passes ? this.delegate.get() : choosing(this.delegate.get());
	}

	@Override
	@SuppressWarnings("rawtypes")
	public Flux<List<ServiceInstance>> get(Request request) {
		return this.passes ? this.delegate.get(request) : choosing(this.delegate.get(request));
	}

	private Flux<List<ServiceInstance>> choosing(Flux<List<ServiceInstance>> lists) {
		// Lists may come on another thread.
		ReplicaSelection asked = this.legs.selections().current();
		HttpLeg onThread = this.legs.current();
		return Flux.deferContextual((context) -> {
			HttpLeg leg = context.hasKey(HttpLeg.class) ? context.get(HttpLeg.class) : onThread;
			return lists.map((instances) -> (asked != null) ? choose(asked, instances) : chosen(leg, instances));
		});
	}

	private static List<ServiceInstance> choose(ReplicaSelection asked, List<ServiceInstance> instances) {
		List<String> addresses = new ArrayList<>(instances.size());
		Map<String, String> zones = new HashMap<>();
		for (ServiceInstance instance : instances) {
			String address = address(instance);
			addresses.add(address);
			String zone = metadata(instance).get(ZONE);
			if (zone != null) {
				zones.put(address, zone);
			}
		}
		Replica replica = asked.balancer().choose(addresses, zones);
		if (replica == null) {
			return instances;
		}
		List<ServiceInstance> chosen = only(replica.address(), instances);
		asked.chosen(replica, (chosen.size() == 1) ? metadata(chosen.get(0)) : Map.of());
		return chosen;
	}

	private static Map<String, String> metadata(ServiceInstance instance) {
		Map<String, String> metadata = instance.getMetadata();
		return (metadata != null) ? metadata : Map.of();
	}

	/** A request goes where its call has gone before. */
	private static List<ServiceInstance> chosen(@Nullable HttpLeg leg, List<ServiceInstance> instances) {
		ReplicaAttempt replicaAttempt = (leg != null) ? leg.replicaAttempt() : null;
		return (replicaAttempt != null) ? only(replicaAttempt.address(), instances) : instances;
	}

	private static List<ServiceInstance> only(String address, List<ServiceInstance> instances) {
		for (ServiceInstance instance : instances) {
			if (address(instance).equals(address)) {
				return List.of(instance);
			}
		}
		return instances;
	}

	private static String address(ServiceInstance instance) {
		return instance.getHost() + ":" + instance.getPort();
	}

}
