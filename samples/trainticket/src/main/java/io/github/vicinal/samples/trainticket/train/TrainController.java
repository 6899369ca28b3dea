package io.github.vicinal.samples.trainticket.train;

import io.github.vicinal.samples.trainticket.common.Problems;

import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@link TrainApi}.
 */
@RestController
class TrainController implements TrainApi {

	private final TrainStore trains;

	TrainController(TrainStore trains) {
		this.trains = trains;
	}

	@Override
	public TrainType trainType(String id) {
		return this.trains.byId(id).orElseThrow(() -> Problems.notFound("train type", id));
	}

}
