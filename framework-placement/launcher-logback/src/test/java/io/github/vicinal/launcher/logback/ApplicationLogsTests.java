package io.github.vicinal.launcher.logback;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications whose loaders have one parent with SLF4J, Logback and the provider.
 */
class ApplicationLogsTests {

	private URLClassLoader shared;

	private URLClassLoader one;

	private URLClassLoader other;

	private Class<?> logs;

	@BeforeEach
	void load() throws ReflectiveOperationException {
		List<URL> libraries = new ArrayList<>();
		List<URL> own = new ArrayList<>();
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			(entry.endsWith("test-classes") ? own : libraries).add(url(entry));
		}
		this.shared = new URLClassLoader(libraries.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
		this.one = new URLClassLoader("one", own.toArray(URL[]::new), this.shared);
		this.other = new URLClassLoader("other", own.toArray(URL[]::new), this.shared);
		this.logs = this.shared.loadClass(ApplicationLogs.class.getName());
		Function<Thread, ClassLoader> owner = (thread) -> {
			ClassLoader context = thread.getContextClassLoader();
			return (context == this.one || context == this.other) ? context : null;
		};
		this.logs.getMethod("routeBy", Function.class).invoke(null, owner);
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(entry, ex);
		}
	}

	@AfterEach
	void close() throws IOException {
		this.one.close();
		this.other.close();
		this.shared.close();
	}

	/** Calls a method of {@link LoggingClass} as a thread of an application does. */
	@SuppressWarnings("unchecked")
	private <T> T call(ClassLoader context, ClassLoader loader, String method) {
		Supplier<Object> call = () -> {
			Thread.currentThread().setContextClassLoader(context);
			try {
				Method found = loader.loadClass(LoggingClass.class.getName()).getDeclaredMethod(method);
				found.setAccessible(true);
				return found.invoke(null);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		};
		return (T) CompletableFuture.supplyAsync(call, (task) -> new Thread(task, "application").start()).join();
	}

	@Test
	void eachApplicationHasAContextOfItsOwn() {
		Object first = call(this.one, this.one, "context");
		assertThat(first.getClass().getClassLoader()).isSameAs(this.shared);
		assertThat(first).isSameAs(call(this.one, this.one, "context"))
			.isNotSameAs(call(this.other, this.other, "context"));
	}

	/** A static field is set by whatever thread uses the class first. */
	@Test
	void theClassDecidesWhoseLoggerItGetsNotTheThread() {
		Object context = call(this.one, this.one, "context");
		for (ClassLoader thread : Arrays.asList(this.one, this.other, this.shared, null)) {
			assertThat((Object) call(thread, this.one, "contextOfLogger")).isSameAs(context);
		}
	}

	@Test
	void aSharedLoggerWritesForTheApplicationOfTheThread() {
		call(this.one, this.one, "record");
		call(this.other, this.other, "record");
		call(this.one, this.one, "logBySharedClass");
		assertThat((List<?>) call(this.one, this.one, "recorded")).isEqualTo(List.of("shared"));
		assertThat((List<?>) call(this.other, this.other, "recorded")).isEmpty();
		call(this.other, this.other, "logBySharedClass");
		assertThat((List<?>) call(this.one, this.one, "recorded")).hasSize(1);
		assertThat((List<?>) call(this.other, this.other, "recorded")).isEqualTo(List.of("shared"));
	}

	/** Its loader could never be freed again. */
	@Test
	void aThreadThatRunsOnDoesNotBringTheLogBack() throws ReflectiveOperationException {
		Object before = call(this.one, this.one, "context");
		this.logs.getMethod("end", ClassLoader.class).invoke(null, this.one);
		assertThat((Boolean) before.getClass().getMethod("isStarted").invoke(before)).isFalse();
		Object after = call(this.one, this.one, "context");
		assertThat(after).isNotSameAs(before).isSameAs(call(null, this.one, "context"));
		assertThat(after).isNotSameAs(call(this.other, this.other, "context"));
	}

}
