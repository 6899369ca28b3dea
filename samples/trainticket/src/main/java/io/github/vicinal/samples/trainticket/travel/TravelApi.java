package io.github.vicinal.samples.trainticket.travel;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code travel}: trips of high-speed trains.
 */
@HttpExchange("/api/v1/travelservice")
public interface TravelApi extends TripSearchApi {

}
