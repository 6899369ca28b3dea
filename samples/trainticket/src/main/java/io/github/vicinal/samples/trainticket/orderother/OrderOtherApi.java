package io.github.vicinal.samples.trainticket.orderother;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.samples.trainticket.order.OrderQueries;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * Contract of the service {@code order-other}: orders of all other trains.
 */
@AffinityChannel
@HttpExchange("/api/v1/orderotherservice")
public interface OrderOtherApi extends OrderQueries {

}
