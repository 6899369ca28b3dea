package io.github.vicinal.testkit.contract;

import org.jspecify.annotations.Nullable;

import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Context of a call at the callee: thread, thread-locals, locale, trace, request.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/context")
public interface ContextContract extends KitContract {

	@GetExchange("/mdc")
	@Nullable String mdc(@RequestParam String key);

	@GetExchange("/mdc-left")
	String leaveInMdc(@RequestParam String key, @RequestParam String value);

	@GetExchange("/thread-locals")
	String threadLocals();

	@GetExchange("/thread-locals-left")
	String leaveInThreadLocals(@RequestParam String value);

	@GetExchange("/loader")
	boolean seesServerClassLoader();

	@GetExchange("/loader-left")
	String leaveClassLoader();

	@GetExchange("/transaction")
	String transaction();

	@GetExchange("/transaction-left")
	String leaveTransactionResource();

	@GetExchange("/locale")
	String locale();

	@GetExchange("/locale-asked")
	String localeAsked(@RequestHeader("Accept-Language") String language);

	@GetExchange("/locale-left")
	String leaveLocale(@RequestParam String tag);

	@GetExchange("/request")
	String requestAttributes(@RequestParam String name);

	@GetExchange("/request-seen")
	String currentRequest(@RequestParam String value);

	@GetExchange("/interrupted")
	boolean interrupted();

	@GetExchange("/interrupt-self")
	String interruptsItself();

	@GetExchange("/trace")
	@Nullable String trace();

	@GetExchange("/observed")
	@Nullable String observed();

	@PostExchange("/thread")
	String renameThread(@RequestParam String name);

	@GetExchange("/principal")
	String principal();

}
