package io.github.vicinal.testkit.server;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Locale;
import java.util.Objects;

import io.github.vicinal.testkit.contract.ContextContract;
import io.github.vicinal.testkit.server.KitServerConfiguration.KitSurroundings;
import io.micrometer.observation.Observation;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.context.ApplicationContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

@RestController
class ContextController implements ContextContract {

	private final ApplicationContext context;

	private final HttpServletRequest request;

	private final KitSurroundings surroundings;

	ContextController(ApplicationContext context, HttpServletRequest request, KitSurroundings surroundings) {
		this.context = context;
		this.request = request;
		this.surroundings = surroundings;
	}

	@Override
	public String ping() {
		return "context";
	}

	@Override
	public @Nullable String mdc(String key) {
		return MDC.get(key);
	}

	@Override
	public String leaveInMdc(String key, String value) {
		MDC.put(key, value);
		return "left";
	}

	@Override
	public String threadLocals() {
		return "plain " + CallerThread.PLAIN.get() + ", inherited " + CallerThread.INHERITED.get();
	}

	@Override
	public String leaveInThreadLocals(String value) {
		String before = threadLocals();
		CallerThread.PLAIN.set(value);
		CallerThread.INHERITED.set(value);
		try {
			return before;
		}
		finally {
			if (value.isEmpty()) {
				CallerThread.PLAIN.remove();
				CallerThread.INHERITED.remove();
			}
		}
	}

	@Override
	public boolean seesServerClassLoader() {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		ClassLoader own = Objects.requireNonNull(this.context.getClassLoader());
		for (ClassLoader each = loader; each != null; each = each.getParent()) {
			if (each == own) {
				return true;
			}
		}
		return false;
	}

	@Override
	public String leaveClassLoader() {
		Thread.currentThread()
			.setContextClassLoader(new URLClassLoader(new URL[0], Thread.currentThread().getContextClassLoader()));
		return "left";
	}

	@Override
	public String transaction() {
		return "synchronisation " + TransactionSynchronizationManager.isSynchronizationActive() + ", actual "
				+ TransactionSynchronizationManager.isActualTransactionActive() + ", name "
				+ TransactionSynchronizationManager.getCurrentTransactionName() + ", resource "
				+ TransactionSynchronizationManager.hasResource("kit");
	}

	@Override
	public String leaveTransactionResource() {
		if (!TransactionSynchronizationManager.hasResource("kit-left")) {
			TransactionSynchronizationManager.bindResource("kit-left", "callee's");
		}
		return "left";
	}

	@Override
	public String locale() {
		return LocaleContextHolder.getLocale().toLanguageTag();
	}

	@Override
	public String localeAsked(String language) {
		return LocaleContextHolder.getLocale().toLanguageTag() + " for " + language;
	}

	@Override
	public String leaveLocale(String tag) {
		LocaleContextHolder.setLocale(Locale.forLanguageTag(tag));
		return LocaleContextHolder.getLocale().toLanguageTag();
	}

	@Override
	public String requestAttributes(String name) {
		RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
		return (attributes != null) ? "attribute " + attributes.getAttribute(name, RequestAttributes.SCOPE_REQUEST)
				: "no request";
	}

	@Override
	public String currentRequest(String value) {
		return this.request.getMethod() + " " + this.request.getRequestURI() + "?" + this.request.getQueryString();
	}

	@Override
	public boolean interrupted() {
		return Thread.currentThread().isInterrupted();
	}

	@Override
	public String interruptsItself() {
		Thread.currentThread().interrupt();
		return "interrupted";
	}

	@Override
	public @Nullable String trace() {
		return TraceHandler.callee();
	}

	@Override
	public @Nullable String observed() {
		Observation observation = this.surroundings.registry().getCurrentObservation();
		return (observation != null) ? observation.getContext().getName() : null;
	}

	@Override
	public String renameThread(String name) {
		Thread thread = Thread.currentThread();
		String before = thread.getName();
		thread.setName(name);
		return (before.isEmpty()) ? "unnamed" : "renamed";
	}

	@Override
	public String principal() {
		return "principal " + this.request.getUserPrincipal();
	}

}
