package io.github.vicinal.testkit.contract;

import org.springframework.web.service.annotation.GetExchange;

/**
 * Common base of the kit's contracts: a call that warms the path up. Its inheritance from
 * an interface without a path of its own is a tested behaviour, too.
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
