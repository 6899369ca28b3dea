package io.github.vicinal.samples.trainticket.basic;

import io.github.vicinal.samples.trainticket.route.Route;
import io.github.vicinal.samples.trainticket.train.TrainType;

/**
 * What a trip between two stations costs.
 *
 * @param trainType the train type
 * @param route the route
 * @param prices the prices
 */
public record TravelQuote(TrainType trainType, Route route, Prices prices) {
}
