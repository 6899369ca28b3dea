package io.github.vicinal.samples.trainticket.order;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code order}: orders of high-speed trains.
 */
@AffinityChannel
@HttpExchange("/api/v1/orderservice")
public interface OrderApi extends OrderQueries {

}
