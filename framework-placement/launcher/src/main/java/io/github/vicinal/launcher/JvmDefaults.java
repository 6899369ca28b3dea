package io.github.vicinal.launcher;

import java.lang.reflect.Field;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.FileNameMap;
import java.net.ProxySelector;
import java.net.ResponseCache;
import java.net.URL;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;

import org.jspecify.annotations.Nullable;

/**
 * Defaults and factories that the JDK has once for all applications, as they were before
 * any application started. One that an application has set keeps its classes in memory,
 * and would be used by the others.
 */
final class JvmDefaults {

	private static final String FACTORY = "factory";

	private static final String HANDLERS = "handlers";

	private final @Nullable ProxySelector proxies = ProxySelector.getDefault();

	private final FileNameMap fileNames = URLConnection.getFileNameMap();

	private final HostnameVerifier hostnames = HttpsURLConnection.getDefaultHostnameVerifier();

	/**
	 * Takes back what an application has set.
	 * @param loader of an application that has stopped
	 * @return what that was, for people
	 */
	List<String> restore(ApplicationLoader loader) {
		List<String> restored = new ArrayList<>();
		if (owns(loader, Thread.getDefaultUncaughtExceptionHandler())) {
			Thread.setDefaultUncaughtExceptionHandler(null);
			restored.add("handler of uncaught exceptions");
		}
		if (owns(loader, Authenticator.getDefault())) {
			Authenticator.setDefault(null);
			restored.add("authenticator");
		}
		if (owns(loader, ProxySelector.getDefault())) {
			ProxySelector.setDefault(this.proxies);
			restored.add("proxy selector");
		}
		if (owns(loader, CookieHandler.getDefault())) {
			CookieHandler.setDefault(null);
			restored.add("cookie handler");
		}
		if (owns(loader, ResponseCache.getDefault())) {
			ResponseCache.setDefault(null);
			restored.add("response cache");
		}
		if (owns(loader, HttpsURLConnection.getDefaultHostnameVerifier())) {
			HttpsURLConnection.setDefaultHostnameVerifier(this.hostnames);
			restored.add("hostname verifier");
		}
		if (owns(loader, URLConnection.getFileNameMap())) {
			URLConnection.setFileNameMap(this.fileNames);
			restored.add("map of file names");
		}
		if (removeFactory(loader, URL.class)) {
			restored.add("factory of URL handlers");
		}
		if (removeFactory(loader, URLConnection.class)) {
			restored.add("factory of content handlers");
		}
		return restored.stream().map((each) -> "its %s was still that of the JVM".formatted(each)).toList();
	}

	/** Returns the application that has set the factory of URL handlers, if any. */
	static @Nullable String ownerOfUrlHandlers() {
		try {
			Object factory = field(URL.class, FACTORY).get(null);
			ApplicationLoader owner = (factory != null) ? ApplicationLoader.of(factory.getClass().getClassLoader())
					: null;
			return (owner != null) ? owner.application() : null;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	/** The JDK takes a factory once, and has no method to take it back. */
	private static boolean removeFactory(ApplicationLoader loader, Class<?> type) {
		try {
			if (field(type, HANDLERS).get(null) instanceof Map<?, ?> handlers) {
				handlers.values().removeIf((handler) -> owns(loader, handler));
			}
			Field factory = field(type, FACTORY);
			if (owns(loader, factory.get(null))) {
				factory.set(null, null);
				return true;
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// Not looked for without java -jar, as shutdown hooks.
		}
		return false;
	}

	private static Field field(Class<?> type, String name) throws NoSuchFieldException {
		Field field = type.getDeclaredField(name);
		field.setAccessible(true);
		return field;
	}

	private static boolean owns(ApplicationLoader loader, @Nullable Object value) {
		return value != null && loader.owns(value.getClass().getClassLoader());
	}

}
