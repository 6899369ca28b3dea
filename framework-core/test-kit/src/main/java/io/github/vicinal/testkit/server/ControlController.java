package io.github.vicinal.testkit.server;

import java.util.List;

import io.github.vicinal.testkit.contract.ControlContract;

import org.springframework.web.bind.annotation.RestController;

@RestController
class ControlController implements ControlContract {

	private final Gates gates;

	private final Observations observations;

	ControlController(Gates gates, Observations observations) {
		this.gates = gates;
		this.observations = observations;
	}

	@Override
	public String ping() {
		return "control";
	}

	@Override
	public boolean awaitArrival(String gate) {
		return this.gates.at(gate).awaitArrival();
	}

	@Override
	public void open(String gate) {
		this.gates.at(gate).open();
	}

	@Override
	public String awaitDeparture(String gate) {
		return this.gates.at(gate).awaitDeparture();
	}

	@Override
	public int arrivals(String gate) {
		return this.gates.at(gate).arrivals();
	}

	@Override
	public List<String> observations() {
		return this.observations.lines();
	}

	@Override
	public void forgetObservations() {
		this.observations.clear();
	}

}
