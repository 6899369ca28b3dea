package io.github.vicinal.samples.trainticket.basic;

import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.train.TrainType;

/**
 * Price of a trip between two stations.
 *
 * @param trainType the train type
 * @param route the route
 * @param prices the prices
 */
public record TravelQuote(TrainType trainType, Route route, Prices prices) {
}
