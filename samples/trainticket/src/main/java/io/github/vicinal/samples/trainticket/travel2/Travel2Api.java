package io.github.vicinal.samples.trainticket.travel2;

import io.github.vicinal.samples.trainticket.travel.TripSearchApi;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code travel2}: trips of all other trains.
 */
@HttpExchange("/api/v1/travel2service")
public interface Travel2Api extends TripSearchApi {

}
