package io.github.vicinal.samples.trainticket.order;

import io.github.vicinal.samples.trainticket.common.TrainTicketService;

import org.springframework.context.annotation.Import;

/**
 * The service {@code order}. It calls no other service.
 */
@TrainTicketService
@Import({ OrderController.class, OrderStore.class })
public class OrderApplication {

}
