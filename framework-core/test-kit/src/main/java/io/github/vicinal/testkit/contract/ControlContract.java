package io.github.vicinal.testkit.contract;

import java.util.List;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.DeleteExchange;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Access of the kit to the internals of its server. Called over HTTP only; no behaviour
 * is tested with it.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/control")
public interface ControlContract extends KitContract {

	@GetExchange("/{gate}/arrived")
	boolean awaitArrival(@PathVariable String gate);

	@PostExchange("/{gate}/open")
	void open(@PathVariable String gate);

	@GetExchange("/{gate}/left")
	String awaitDeparture(@PathVariable String gate);

	@GetExchange("/{gate}/count")
	int arrivals(@PathVariable String gate);

	@GetExchange("/observations")
	List<String> observations();

	@DeleteExchange("/observations")
	void forgetObservations();

}
