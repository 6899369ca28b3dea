package io.github.vicinal.samples.trainticket.orderother;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;
import io.github.vicinal.samples.trainticket.order.OrderStore;

import org.springframework.context.annotation.Import;

/**
 * The service {@code order-other}. It calls no other service.
 */
@TrainTicketService
@Import({ OrderOtherController.class, OrderStore.class })
public class OrderOtherApplication {

}
