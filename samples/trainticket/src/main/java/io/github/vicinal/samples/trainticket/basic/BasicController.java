package io.github.vicinal.samples.trainticket.basic;

import java.math.BigDecimal;

import io.github.vicinal.samples.trainticket.common.Problems;
import io.github.vicinal.samples.trainticket.price.PriceApi;
import io.github.vicinal.samples.trainticket.price.PriceRate;
import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.route.RouteApi;
import io.github.vicinal.samples.trainticket.station.StationApi;
import io.github.vicinal.samples.trainticket.station.StationId;
import io.github.vicinal.samples.trainticket.train.TrainApi;
import io.github.vicinal.samples.trainticket.train.TrainType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link BasicApi}.
 */
@RestController
class BasicController implements BasicApi {

	private static final Logger logger = LoggerFactory.getLogger(BasicController.class);

	private final StationApi station;

	private final TrainApi train;

	private final RouteApi route;

	private final PriceApi price;

	BasicController(StationApi station, TrainApi train, RouteApi route, PriceApi price) {
		this.station = station;
		this.train = train;
		this.route = route;
		this.price = price;
	}

	@Override
	public TravelQuote travel(TravelQuery query) {
		checkExists(query.startingPlace());
		checkExists(query.endPlace());
		TrainType trainType = this.train.trainType(query.trainTypeId());
		Route route = this.route.route(query.routeId());
		PriceRate rate = this.price.rate(query.routeId(), query.trainTypeId());
		String from = stationId(query.startingPlace()).value();
		String to = stationId(query.endPlace()).value();
		if (!route.leads(from, to)) {
			throw Problems.problem(HttpStatus.UNPROCESSABLE_CONTENT,
					"Trip '" + query.tripId() + "' does not lead from '" + from + "' to '" + to + "'");
		}
		BigDecimal distance = BigDecimal.valueOf(route.distanceTo(to) - route.distanceTo(from));
		return new TravelQuote(trainType, route,
				new Prices(distance.multiply(rate.economyRate()), distance.multiply(rate.comfortRate())));
	}

	@Override
	public StationId stationId(String name) {
		return this.station.id(name);
	}

	/**
	 * Asks for a station and keeps nothing of the answer; a little later the same
	 * question is asked again. The original works like this, and its calls are what this
	 * sample is about.
	 */
	private void checkExists(String stationName) {
		logger.debug("Station {} has the id {}", stationName, stationId(stationName));
	}

}
