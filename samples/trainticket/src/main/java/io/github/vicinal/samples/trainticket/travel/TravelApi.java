package io.github.vicinal.samples.trainticket.travel;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code travel}: trips of high-speed trains.
 */
@AffinityChannel
@HttpExchange("/api/v1/travelservice")
public interface TravelApi extends TripSearchApi {

}
