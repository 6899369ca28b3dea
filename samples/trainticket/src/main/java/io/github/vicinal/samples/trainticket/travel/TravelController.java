package io.github.vicinal.samples.trainticket.travel;

import java.time.Clock;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link TravelApi}.
 */
@RestController
class TravelController extends TripSearchSupport implements TravelApi {

	TravelController(TripStore trips, TripCallees callees, Clock clock) {
		super(trips, callees, clock);
	}

}
