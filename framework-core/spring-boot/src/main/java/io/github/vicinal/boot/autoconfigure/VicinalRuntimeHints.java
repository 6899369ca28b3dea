package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicReport;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Hints for native images. */
final class VicinalRuntimeHints implements RuntimeHintsRegistrar {

	private static final String[] STUBBED = { "jakarta.servlet.http.HttpServletRequest",
			"jakarta.servlet.http.HttpServletResponse" };

	private static final String[] PAGES = { "channels.html", "topics.html", "page.css", "page.js" };

	/** Types whose fields {@code MeterShortcut}, and checks of handlers, read. */
	private static final String[] LOOKED_INTO = { "io.micrometer.observation.ObservationRegistry$ObservationConfig",
			"io.micrometer.core.instrument.observation.DefaultMeterObservationHandler",
			"org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter" };

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		for (String name : STUBBED) {
			if (ClassUtils.isPresent(name, classLoader)) {
				hints.proxies().registerJdkProxy(ClassUtils.resolveClassName(name, classLoader));
			}
		}
		for (Class<?> type : ChannelReport.class.getDeclaredClasses()) {
			hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		hints.reflection().registerType(ChannelReport.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerType(RequestServerReport.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerType(RequestServerReport.Quantiles.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerType(TopicReport.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerType(TopicReport.Subscriber.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection().registerType(SubscriptionReport.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		for (String name : PAGES) {
			hints.resources().registerPattern("io/github/vicinal/boot/actuate/" + name);
		}
		for (String name : LOOKED_INTO) {
			hints.reflection().registerTypeIfPresent(classLoader, name, MemberCategory.ACCESS_DECLARED_FIELDS);
		}
	}

}
