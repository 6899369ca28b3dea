package io.github.vicinal.testkit.contract;

import org.springframework.web.service.annotation.HttpExchange;

/**
 * A contract that nobody calls until the test does: the first call of a channel.
 *
 * @since 0.1.0
 */
@HttpExchange("/kit/untouched")
public interface UntouchedContract extends KitContract {

}
