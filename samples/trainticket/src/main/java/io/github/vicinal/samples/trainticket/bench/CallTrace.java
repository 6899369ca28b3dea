package io.github.vicinal.samples.trainticket.bench;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.vicinal.samples.trainticket.basic.BasicApi;
import io.github.vicinal.samples.trainticket.basic.BasicApplication;
import io.github.vicinal.samples.trainticket.config.ConfigApi;
import io.github.vicinal.samples.trainticket.config.ConfigApplication;
import io.github.vicinal.samples.trainticket.order.OrderApi;
import io.github.vicinal.samples.trainticket.order.OrderApplication;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApi;
import io.github.vicinal.samples.trainticket.orderother.OrderOtherApplication;
import io.github.vicinal.samples.trainticket.price.PriceApi;
import io.github.vicinal.samples.trainticket.price.PriceApplication;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.route.RouteApplication;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanApi;
import io.github.vicinal.samples.trainticket.routeplan.RoutePlanApplication;
import io.github.vicinal.samples.trainticket.seat.SeatApi;
import io.github.vicinal.samples.trainticket.seat.SeatApplication;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.station.StationApplication;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApi;
import io.github.vicinal.samples.trainticket.ticketinfo.TicketInfoApplication;
import io.github.vicinal.samples.trainticket.train.TrainApi;
import io.github.vicinal.samples.trainticket.train.TrainApplication;
import io.github.vicinal.samples.trainticket.travel.TravelApi;
import io.github.vicinal.samples.trainticket.travel.TravelApplication;
import io.github.vicinal.samples.trainticket.travel.TripQuery;
import io.github.vicinal.samples.trainticket.travel2.Travel2Api;
import io.github.vicinal.samples.trainticket.travel2.Travel2Application;
import io.github.vicinal.samples.trainticket.travelplan.TravelPlanApi;
import io.github.vicinal.samples.trainticket.travelplan.TravelPlanApplication;

import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The services of AdvancedSearch as plain objects that call each other on one thread,
 * without any path, and every call between two of them, with its arguments.
 */
final class CallTrace {

	private static final Map<Class<?>, Class<?>> SERVICES = Map.ofEntries(
			Map.entry(TravelPlanApi.class, TravelPlanApplication.class),
			Map.entry(RoutePlanApi.class, RoutePlanApplication.class),
			Map.entry(TravelApi.class, TravelApplication.class), Map.entry(Travel2Api.class, Travel2Application.class),
			Map.entry(TicketInfoApi.class, TicketInfoApplication.class),
			Map.entry(BasicApi.class, BasicApplication.class), Map.entry(StationApi.class, StationApplication.class),
			Map.entry(TrainApi.class, TrainApplication.class), Map.entry(RouteApi.class, RouteApplication.class),
			Map.entry(PriceApi.class, PriceApplication.class), Map.entry(SeatApi.class, SeatApplication.class),
			Map.entry(ConfigApi.class, ConfigApplication.class), Map.entry(OrderApi.class, OrderApplication.class),
			Map.entry(OrderOtherApi.class, OrderOtherApplication.class));

	/** Calls whose answers depend on sold tickets, and must not be cached. */
	private static final Set<Class<?>> CHANGING = Set.of(OrderApi.class, OrderOtherApi.class, SeatApi.class,
			RoutePlanApi.class, TravelPlanApi.class);

	private static final Set<String> CHANGING_METHODS = Set.of("tripsLeft", "tripDetail");

	private final Map<Class<?>, Object> controllers = new LinkedHashMap<>();

	private final List<Call> calls = new ArrayList<>();

	private int depth;

	/**
	 * A call between two services.
	 *
	 * @param depth number of calls that it is part of
	 * @param caller the service that calls
	 * @param cacheable whether the answer depends on nothing but seed data and arguments
	 * @param key method and arguments
	 */
	record Call(int depth, String caller, boolean cacheable, String key) {

		@Override
		public String toString() {
			return this.depth + "\t" + this.caller + "\t" + this.cacheable + "\t" + this.key;
		}

	}

	CallTrace() {
		SERVICES.forEach((api, application) -> this.controllers.put(api, controller(api, application)));
	}

	private Object controller(Class<?> api, Class<?> application) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("clock", Clock.system(ZoneId.systemDefault()));
		SERVICES.keySet()
			.stream()
			.filter((other) -> other != api)
			.forEach((other) -> beans.registerSingleton(other.getName(), client(name(application), other)));
		for (Method method : application.getDeclaredMethods()) {
			if (method.isAnnotationPresent(Bean.class)) {
				RootBeanDefinition bean = new RootBeanDefinition(method.getReturnType());
				bean.setFactoryBeanName(application.getName());
				bean.setFactoryMethodName(method.getName());
				bean.setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR);
				beans.registerBeanDefinition(method.getName(), bean);
			}
		}
		List<Class<?>> imported = Arrays.asList(application.getAnnotation(Import.class).value());
		imported.forEach((type) -> beans.registerBeanDefinition(type.getName(), autowired(type)));
		beans.registerBeanDefinition(application.getName(), autowired(application));
		return imported.stream().filter(api::isAssignableFrom).findFirst().map(beans::getBean).orElseThrow();
	}

	private static RootBeanDefinition autowired(Class<?> type) {
		RootBeanDefinition bean = new RootBeanDefinition(type);
		bean.setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR);
		return bean;
	}

	private static String name(Class<?> application) {
		String name = application.getPackageName();
		return name.substring(name.lastIndexOf('.') + 1);
	}

	private Object client(String caller, Class<?> api) {
		return Proxy.newProxyInstance(api.getClassLoader(), new Class<?>[] { api }, (proxy, method, arguments) -> {
			if (method.getDeclaringClass() == Object.class) {
				return method.invoke(this, arguments);
			}
			boolean cacheable = !CHANGING.contains(api) && !CHANGING_METHODS.contains(method.getName());
			this.calls.add(new Call(this.depth, caller, cacheable,
					api.getSimpleName() + "." + method.getName() + Arrays.toString(arguments)));
			this.depth++;
			try {
				method.setAccessible(true);
				return method.invoke(this.controllers.get(api), arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
			finally {
				this.depth--;
			}
		});
	}

	/** Searches as the gateway would, and returns what was called below the gateway. */
	List<Call> advancedSearch(TripQuery query) {
		this.calls.clear();
		TravelPlanApi travelPlan = (TravelPlanApi) Objects.requireNonNull(this.controllers.get(TravelPlanApi.class));
		travelPlan.cheapest(query);
		return List.copyOf(this.calls);
	}

}
