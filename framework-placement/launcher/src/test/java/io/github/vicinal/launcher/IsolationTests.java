package io.github.vicinal.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What each application has of its own. */
class IsolationTests {

	private final ApplicationLoader one = new ApplicationLoader("one", new URL[0], getClass().getClassLoader());

	private final ApplicationLoader two = new ApplicationLoader("two", new URL[0], getClass().getClassLoader());

	private static <T> T in(ApplicationLoader loader, Callable<T> work) throws Exception {
		FutureTask<T> task = new FutureTask<>(work);
		Thread thread = new Thread(task);
		thread.setContextClassLoader(loader);
		thread.start();
		return task.get();
	}

	@Test
	void systemPropertiesAreThoseOfTheThreadsApplication() throws Exception {
		Properties base = new Properties();
		base.setProperty("given", "to all");
		SystemProperties properties = new SystemProperties(base);
		properties.begin(this.one, Map.of("own", "1"));
		properties.begin(this.two, Map.of());
		in(this.one, () -> properties.setProperty("set", "by one"));
		assertThat(in(this.one, () -> properties.getProperty("set"))).isEqualTo("by one");
		assertThat(in(this.one, () -> properties.stringPropertyNames())).containsExactlyInAnyOrder("given", "own",
				"set");
		assertThat(in(this.two, () -> properties.getProperty("set", "none"))).isEqualTo("none");
		assertThat(in(this.two, () -> properties.get("given"))).isEqualTo("to all");
		assertThat(properties.getProperty("set")).isNull();
		in(this.two, () -> properties.remove("given"));
		assertThat(in(this.one, () -> properties.containsKey("given"))).isTrue();
		assertThat(base).containsOnlyKeys("given");
		properties.end(this.one);
		assertThat(in(this.one, () -> properties.getProperty("set"))).isNull();
	}

	@Test
	void linesSayWhoHasWrittenThemAndDoNotMix() throws Exception {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		PrefixedOutput out = new PrefixedOutput(target, StandardCharsets.UTF_8);
		in(this.one, () -> write(out, "half of "));
		in(this.two, () -> write(out, "a line\nand a"));
		in(this.one, () -> write(out, "a line\n"));
		write(out, "the launcher\n");
		out.end(this.two);
		assertThat(target.toString(StandardCharsets.UTF_8)).isEqualTo("""
				[two] a line
				[one] half of a line
				the launcher
				[two] and a
				""");
	}

	private static Void write(PrefixedOutput out, String text) throws IOException {
		out.write(text.getBytes(StandardCharsets.UTF_8));
		return null;
	}

	@Test
	void threadsBelongToTheApplicationOfTheirContextOrGroup() throws Exception {
		List<ApplicationLoader> owners = new ArrayList<>();
		ApplicationThreads.Group group = new ApplicationThreads.Group(Thread.currentThread().getThreadGroup(),
				this.one);
		Thread thread = new Thread(group, () -> owners.add(ApplicationThreads.owner(Thread.currentThread())));
		thread.setContextClassLoader(null);
		thread.start();
		thread.join();
		assertThat(owners).containsExactly(this.one);
		ClassLoader below = new ClassLoader(this.two) {
		};
		assertThat(ApplicationLoader.of(below)).isSameAs(this.two);
		assertThat(ApplicationThreads.owner(Thread.currentThread())).isNull();
		group.end();
		Thread late = new Thread(group, () -> owners.add(ApplicationThreads.owner(Thread.currentThread())));
		late.setContextClassLoader(null);
		late.start();
		late.join();
		assertThat(owners).containsExactly(this.one, null);
	}

}
