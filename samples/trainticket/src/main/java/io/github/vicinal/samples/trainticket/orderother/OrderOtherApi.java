package io.github.vicinal.samples.trainticket.orderother;

import io.github.vicinal.samples.trainticket.order.OrderQueries;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code order-other}: orders of all other trains.
 */
@HttpExchange("/api/v1/orderotherservice")
public interface OrderOtherApi extends OrderQueries {

}
