package io.github.vicinal.testkit.contract;

import org.springframework.web.service.annotation.GetExchange;

/**
 * What all contracts of the kit have in common: a call that warms the path up. That it is
 * inherited from an interface without a path of its own is a behaviour, too.
 *
 * @since 0.1.0
 */
public interface KitContract {

	/**
	 * Answer with the name of the controller.
	 * @return a constant
	 */
	@GetExchange("/ping")
	String ping();

}
