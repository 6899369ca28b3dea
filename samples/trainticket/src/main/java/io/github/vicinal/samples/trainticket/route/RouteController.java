package io.github.vicinal.samples.trainticket.route;

import java.util.List;

import io.github.vicinal.samples.trainticket.common.Problems;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link RouteApi}.
 */
@RestController
class RouteController implements RouteApi {

	private final RouteStore routes;

	RouteController(RouteStore routes) {
		this.routes = routes;
	}

	@Override
	public Route route(String id) {
		return this.routes.byId(id).orElseThrow(() -> Problems.notFound("route", id));
	}

	@Override
	public List<Route> routes(String from, String to) {
		return this.routes.leading(from, to);
	}

}
