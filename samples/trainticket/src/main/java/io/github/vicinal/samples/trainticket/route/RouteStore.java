package io.github.vicinal.samples.trainticket.route;

import java.util.List;
import java.util.Optional;

/**
 * The routes, in the order in which they were added.
 */
class RouteStore {

	private final List<Route> routes;

	RouteStore(List<Route> routes) {
		this.routes = List.copyOf(routes);
	}

	Optional<Route> byId(String id) {
		return this.routes.stream().filter((route) -> route.id().equals(id)).findFirst();
	}

	List<Route> leading(String from, String to) {
		return this.routes.stream().filter((route) -> route.leads(from, to)).toList();
	}

	/**
	 * The 10 routes of the original.
	 * @return a store with the seed data
	 */
	static RouteStore seeded() {
		return new RouteStore(List.of(
				route("0b23bd3e-876a-4af3-b920-c50a90c90b04", List.of("shanghai", "nanjing", "shijiazhuang", "taiyuan"),
						List.of(0, 350, 1000, 1300)),
				route("9fc9c261-3263-4bfa-82f8-bb44e06b2f52", List.of("nanjing", "xuzhou", "jinan", "beijing"),
						List.of(0, 500, 700, 1200)),
				route("d693a2c5-ef87-4a3c-bef8-600b43f62c68", List.of("taiyuan", "shijiazhuang", "nanjing", "shanghai"),
						List.of(0, 300, 950, 1300)),
				route("20eb7122-3a11-423f-b10a-be0dc5bce7db", List.of("shanghai", "taiyuan"), List.of(0, 1300)),
				route("1367db1f-461e-4ab7-87ad-2bcc05fd9cb7", List.of("shanghaihongqiao", "jiaxingnan", "hangzhou"),
						List.of(0, 150, 300)),
				route("92708982-77af-4318-be25-57ccb0ff69ad",
						List.of("nanjing", "zhenjiang", "wuxi", "suzhou", "shanghai"), List.of(0, 100, 150, 200, 250)),
				route("aefcef3f-3f42-46e8-afd7-6cb2a928bd3d", List.of("nanjing", "shanghai"), List.of(0, 250)),
				route("a3f256c1-0e43-4f7d-9c21-121bf258101f", List.of("nanjing", "suzhou", "shanghai"),
						List.of(0, 200, 250)),
				route("084837bb-53c8-4438-87c8-0321a4d09917", List.of("suzhou", "shanghai"), List.of(0, 50)),
				route("f3d4d4ef-693b-4456-8eed-59c0d717dd08", List.of("shanghai", "suzhou"), List.of(0, 50))));
	}

	private static Route route(String id, List<String> stations, List<Integer> distances) {
		return new Route(id, stations, distances, stations.get(0), stations.get(stations.size() - 1));
	}

}
