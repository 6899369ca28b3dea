package io.github.vicinal.transport.direct;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls between applications that share nothing but {@link Neighbours} and the JDK. */
@Timeout(60)
@Tag("every-jdk")
class IsolatedApplicationsTests {

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final String serverId = id();

	private AutoCloseable server;

	private AutoCloseable client;

	@BeforeEach
	void start() throws Exception {
		this.server = application(this.serverId);
		this.client = application(id());
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

	private static String id() {
		return UUID.randomUUID().toString().replace("-", "");
	}

	private AutoCloseable application(String id) throws Exception {
		ClassLoader loader = new IsolatedLoader();
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(loader);
		try {
			Class<?> type = loader.loadClass(IsolatedApplication.class.getName());
			assertThat(type).isNotSameAs(IsolatedApplication.class);
			AutoCloseable application = (AutoCloseable) type.getConstructor(String.class).newInstance(id);
			this.opened.add(0, application);
			return application;
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static Object invoke(Object application, String method, Object... arguments) throws Exception {
		Class<?>[] types = Arrays.stream(arguments).map(Object::getClass).toArray(Class<?>[]::new);
		return application.getClass().getMethod(method, types).invoke(application, arguments);
	}

	@SuppressWarnings("unchecked")
	private String call(String text, long millis) {
		return ((BiFunction<String, Long, String>) this.client).apply(text, millis);
	}

	private void connect() throws Exception {
		assertThat((String) invoke(this.client, "connect", this.serverId)).startsWith("connected: direct: ")
			.contains("class loaders of their own");
	}

	@Test
	void valuesHaveTheClassesOfTheirSide() throws Exception {
		connect();
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		assertThat(call("item", 0)).isEqualTo("split2true");
		assertThat(call("text", 0)).isEqualTo("text");
		assertThat(invoke(this.server, "seen")).isEqualTo("own class,own context");
		assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
		assertThat((long) invoke(this.client, "carried")).isPositive();
	}

	@Test
	void largeValuesCross() throws Exception {
		connect();
		assertThat(call("bytes", 5_000_000)).isEqualTo("true");
		assertThat(call("bytes", 1)).isEqualTo("true");
	}

	@Test
	void failuresComeBackAsTheyAre() throws Exception {
		connect();
		assertThat(call("fail", 0)).isEqualTo("418 {a=[b]} 1 x.Y");
		assertThat(call("throw", 0)).startsWith("REFUSED true").contains("threw instead of answering");
		assertThat(call("http", 0)).isEqualTo("HTTP_REQUIRED false only HTTP has it");
		assertThat(call("text", 0)).isEqualTo("text");
	}

	@Test
	void missedDeadlineThrowsWhileTheHandlerStillRuns() throws Exception {
		connect();
		// Classes that the first call loads take longer than its deadline.
		assertThat(call("text", 0)).isEqualTo("text");
		assertThat(call("hang", 1_000)).startsWith("TIMEOUT true");
		assertThat(call("text", -1)).startsWith("TIMEOUT false");
		// The frame that the handler was given is not overwritten by the next one.
		assertThat(call("text", 10_000)).isEqualTo("text");
	}

	@Test
	void interruptedCallerStaysInterrupted() throws Exception {
		connect();
		Thread.currentThread().interrupt();
		assertThat(call("text", 0)).startsWith("INTERRUPTED false");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void manyThreadsDoNotMixTheirFrames() throws Exception {
		connect();
		List<CompletableFuture<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			String text = "caller" + i;
			callers.add(Async.call(() -> {
				for (int n = 0; n < 500; n++) {
					if (!call(text + "-" + n, n % 2 * 10_000L).equals(text + "-" + n)) {
						return false;
					}
				}
				return true;
			}));
		}
		for (CompletableFuture<Boolean> caller : callers) {
			assertThat(caller.get()).isTrue();
		}
	}

	@Test
	void stoppedApplicationIsGone() throws Exception {
		connect();
		this.server.close();
		assertThat(call("text", 0)).startsWith("PEER_GONE false");
		assertThat(invoke(this.client, "open")).isEqualTo(false);
		assertThat((String) invoke(this.client, "connect", this.serverId)).contains("another JVM");
	}

	@Test
	void stoppedApplicationIsForgottenByIdleCallers() throws Exception {
		String stoppingId = id();
		AutoCloseable stopping = application(stoppingId);
		this.opened.remove(stopping);
		assertThat((String) invoke(this.client, "connect", stoppingId)).startsWith("connected");
		assertThat(call("text", 0)).isEqualTo("text");
		WeakReference<ClassLoader> loader = new WeakReference<>(stopping.getClass().getClassLoader());
		stopping.close();
		stopping = null;
		Async.await(() -> {
			System.gc();
			return loader.get() == null;
		});
		assertThat(call("text", 0)).startsWith("PEER_GONE false");
		assertThat(invoke(this.client, "open")).isEqualTo(false);
	}

	@Test
	void answersThatAreNoneAreRefused() throws Exception {
		String id = id();
		Babbler babbler = new Babbler();
		Neighbours.register(id, babbler);
		try {
			for (byte[] answer : List.of(new byte[0], new byte[3], new byte[40], new byte[100])) {
				babbler.answer = answer;
				assertThat((String) invoke(this.client, "connect", id)).doesNotStartWith("connected");
			}
			babbler.answer = null;
			assertThat((String) invoke(this.client, "connect", id)).contains("cannot be asked");
		}
		finally {
			Neighbours.remove(id, babbler);
		}
	}

	@Test
	void framesThatAreNoneAreRefused() {
		Neighbour neighbour = Neighbours.find(this.serverId);
		assertThat(neighbour).isNotNull();
		java.util.Random random = new java.util.Random(1);
		for (int i = 0; i < 2000; i++) {
			byte[] frame = new byte[random.nextInt(200)];
			random.nextBytes(frame);
			if (i % 2 == 0 && frame.length >= 8) {
				// Gets past the first checks.
				System.arraycopy(new byte[] { 'V', 'c', 'n', 'l', 5, (byte) random.nextInt(12) }, 0, frame, 0, 6);
			}
			byte[] answer = neighbour.open().answer(frame, frame.length);
			assertThat(answer).hasSizeGreaterThanOrEqualTo(40).startsWith('V', 'c', 'n', 'l');
		}
	}

	/** Returns what it is configured with. */
	private static final class Babbler implements Neighbour {

		private byte[] answer;

		@Override
		public Session open() {
			return (frame, length) -> this.answer.clone();
		}

		@Override
		public java.util.concurrent.Executor executor() {
			return Runnable::run;
		}

		@Override
		public boolean enter() {
			return true;
		}

		@Override
		public boolean leave() {
			return false;
		}

		@Override
		public boolean closed() {
			return false;
		}

	}

	/** Has all classes of the tests anew, but those that neighbours share. */
	private static final class IsolatedLoader extends URLClassLoader {

		IsolatedLoader() throws MalformedURLException {
			super(classPath(), new SharedLoader());
		}

		private static URL[] classPath() throws MalformedURLException {
			List<URL> urls = new ArrayList<>();
			for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
				urls.add(Path.of(entry).toUri().toURL());
			}
			return urls.toArray(URL[]::new);
		}

	}

	/** Has the JDK and the meeting point. */
	private static final class SharedLoader extends ClassLoader {

		SharedLoader() {
			super(ClassLoader.getPlatformClassLoader());
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (name.startsWith(Neighbours.class.getPackageName() + ".")) {
				return Neighbours.class.getClassLoader().loadClass(name);
			}
			throw new ClassNotFoundException(name);
		}

	}

}
