package io.github.vicinal.launcher;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ContentHandler;
import java.net.ContentHandlerFactory;
import java.net.FileNameMap;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.net.URLStreamHandlerFactory;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSession;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** State that each application has of its own. */
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
	void linesNameTheirApplicationAndDoNotMix() throws Exception {
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

	/**
	 * The application that needs the first thread of a pool of the JDK does not get the
	 * others.
	 */
	@Test
	void threadsOfTheJdksPoolsBelongToNobody() throws Exception {
		ApplicationThreads.Group group = new ApplicationThreads.Group(Thread.currentThread().getThreadGroup(),
				this.one);
		ForkJoinPool pool = new ForkJoinPool(1, new JdkThreads(), null, false);
		FutureTask<Thread> worker = new FutureTask<>(() -> pool.submit(Thread::currentThread).get());
		FutureTask<Thread> channels = new FutureTask<>(() -> new JdkThreads().newThread(() -> {
		}));
		for (FutureTask<Thread> each : List.of(worker, channels)) {
			Thread thread = new Thread(group, each);
			thread.setContextClassLoader(this.one);
			thread.start();
			assertThat(ApplicationThreads.owner(each.get())).isNull();
			assertThat(each.get().isDaemon()).isTrue();
			assertThat(ApplicationLoader.of(each.get().getContextClassLoader())).isNull();
		}
		pool.shutdownNow();
	}

	/** The user of one application must not be that of another one's task. */
	@Test
	void threadsOfTheJdksPoolsInheritNothing() throws Exception {
		ThreadLocal<String> user = new InheritableThreadLocal<>();
		user.set("of one");
		ForkJoinPool pool = new ForkJoinPool(1, new JdkThreads(), null, false);
		assertThat(pool.submit(user::get).get()).isNull();
		pool.shutdownNow();
	}

	/** Such as the timer of a connection pool whose class is shared. */
	@Test
	void threadsOfSharedLibrariesBelongToNobody() {
		ApplicationThreads.Group group = new ApplicationThreads.Group(Thread.currentThread().getThreadGroup(),
				this.one);
		Thread thread = new Thread(group, () -> {
		});
		thread.setContextClassLoader(new SharedLoader(new URL[0]));
		assertThat(ApplicationThreads.owner(thread)).isNull();
	}

	@Test
	void valuesOfAStoppedApplicationLeaveThreadsThatRunOn() throws Exception {
		Class<?> type = in(this.one, () -> this.one.define(Value.class.getName(), bytes(Value.class)));
		Object value = type.getDeclaredConstructor().newInstance();
		ThreadLocal<Object> local = new ThreadLocal<>();
		ThreadLocal<Object> inherited = new InheritableThreadLocal<>();
		ThreadLocal<Object> other = ThreadLocal.withInitial(() -> "kept");
		local.set(value);
		inherited.set(type);
		assertThat(other.get()).isEqualTo("kept");
		List<String> findings = new ArrayList<>();
		assertThat(ThreadLocals.remove(this.two, findings)).isZero();
		assertThat(local.get()).isSameAs(value);
		assertThat(ThreadLocals.remove(this.one, findings)).isEqualTo(2);
		assertThat(findings).isEmpty();
		assertThat(local.get()).isNull();
		assertThat(inherited.get()).isNull();
		assertThat(other.get()).isEqualTo("kept");
	}

	/** Netty has a table of its own in each thread, with caches by class. */
	@Test
	void tablesOfNettyLetAStoppedApplicationGo(@TempDir Path directory) throws Exception {
		Class<?> type = in(this.one, () -> this.one.define(Value.class.getName(), bytes(Value.class)));
		Class<?> tables = netty(directory, """
				public static final Object UNSET = new Object();
				public Object[] indexedVariables;
				public java.util.Map<?, ?> typeParameterMatcherGetCache = new java.util.HashMap<>();
				public java.util.Map<?, ?> typeParameterMatcherFindCache = new java.util.HashMap<>();
				""");
		Object table = tables.getConstructor().newInstance();
		Object[] values = { "kept", type.getConstructor().newInstance() };
		tables.getField("indexedVariables").set(table, values);
		ThreadLocal<Object> local = new ThreadLocal<>();
		local.set(table);
		List<String> findings = new ArrayList<>();
		assertThat(ThreadLocals.remove(this.one, findings)).isEqualTo(1);
		assertThat(findings).isEmpty();
		assertThat(values).containsExactly("kept", tables.getField("UNSET").get(null));
		assertThat(tables.getField("typeParameterMatcherGetCache").get(table)).isNull();
		assertThat(tables.getField("typeParameterMatcherFindCache").get(table)).isNull();
		assertThat(local.get()).isSameAs(table);
		local.remove();
	}

	@Test
	void aVersionOfNettyWithOtherFieldsIsNamed(@TempDir Path directory) throws Exception {
		ThreadLocal<Object> local = new ThreadLocal<>();
		local.set(netty(directory, "").getConstructor().newInstance());
		List<String> findings = new ArrayList<>();
		assertThat(ThreadLocals.remove(this.one, findings)).isZero();
		assertThat(findings).singleElement()
			.asString()
			.contains("Netty", "cannot be looked for", "typeParameterMatcherGetCache");
		local.remove();
	}

	private static Class<?> netty(Path directory, String fields) throws Exception {
		Path source = Files.writeString(directory.resolve("InternalThreadLocalMap.java"),
				"package io.netty.util.internal; public class InternalThreadLocalMap {" + fields + "}");
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-d", directory.toString(), source.toString())).isZero();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { directory.toUri().toURL() }, null)) {
			return loader.loadClass("io.netty.util.internal.InternalThreadLocalMap");
		}
	}

	/** Such as those of the common pool: an interrupt could hit the work of another. */
	@Test
	void threadsOfTheJvmThatWorkForAStoppedApplicationAreNamed() throws Exception {
		Class<?> type = in(this.one, () -> this.one.define(Work.class.getName(), bytes(Work.class)));
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		ForkJoinPool pool = new ForkJoinPool(1, new JdkThreads(), null, false);
		ForkJoinTask<?> work = pool
			.submit((Runnable) type.getConstructor(CountDownLatch.class, CountDownLatch.class).newInstance(begun, end));
		begun.await();
		List<Thread> borrowed = ApplicationThreads.borrowedBy(this.one);
		assertThat(borrowed).singleElement().isInstanceOf(JdkThreads.Worker.class);
		assertThat(ApplicationThreads.borrowedBy(this.two)).isEmpty();
		assertThat(ApplicationThreads.of(this.one)).isEmpty();
		try (OwnedBeans beans = OwnedBeans.watch(MBeanServerFactory.newMBeanServer())) {
			assertThat(Aftermath.clean(this.one, beans, new JvmDefaults(), Duration.ZERO)).singleElement()
				.asString()
				.startsWith("the thread '%s', which belongs to the JVM, still works for it: one//%s.run("
					.formatted(borrowed.get(0).getName(), Work.class.getName()));
			assertThat(work.isDone()).isFalse();
			end.countDown();
			assertThat(Aftermath.clean(this.one, beans, new JvmDefaults(), Duration.ofMinutes(5))).isEmpty();
		}
		pool.shutdownNow();
	}

	/** An interrupt alone does not end them. */
	@Test
	void timersAndExecutorsEndWithTheirApplication() throws Exception {
		List<Thread> threads = new ArrayList<>();
		ThreadFactory factory = (task) -> {
			threads.add(new Thread(task, "worker"));
			return threads.get(0);
		};
		Executors.newSingleThreadExecutor(factory).submit(() -> "").get();
		CompletableFuture<Thread> timer = new CompletableFuture<>();
		new Timer("timer").schedule(new TimerTask() {

			@Override
			public void run() {
				timer.complete(Thread.currentThread());
			}

		}, 0, 10);
		threads.add(timer.get());
		threads.add(new ForkJoinPool(1).submit(Thread::currentThread).get());
		List<LeftThreads.Work> works = threads.stream().map(LeftThreads::workOf).filter(Objects::nonNull).toList();
		assertThat(works).extracting(LeftThreads.Work::finding)
			.containsExactly("the executor of the thread 'worker' was not shut down",
					"the timer 'timer' was not cancelled",
					"the pool of the thread '%s' was not shut down".formatted(threads.get(2).getName()));
		works.forEach(LeftThreads.Work::end);
		for (Thread thread : threads) {
			thread.join(Duration.ofSeconds(30).toMillis());
			assertThat(thread.isAlive()).as(thread.getName()).isFalse();
		}
		assertThat(LeftThreads.workOf(new Thread(() -> {
		}))).isNull();
	}

	@Test
	void threadsOfOnePoolAreNamedTogether() throws Exception {
		AtomicInteger number = new AtomicInteger();
		ExecutorService pool = Executors.newFixedThreadPool(12, (task) -> {
			Thread thread = new Thread(task, "reader-" + number.incrementAndGet());
			thread.setContextClassLoader(this.one);
			return thread;
		});
		CountDownLatch begun = new CountDownLatch(12);
		for (int i = 0; i < 12; i++) {
			pool.submit(begun::countDown);
		}
		begun.await();
		try (OwnedBeans beans = OwnedBeans.watch(MBeanServerFactory.newMBeanServer())) {
			assertThat(Aftermath.clean(this.one, beans, new JvmDefaults(), Duration.ofMinutes(1)))
				.containsExactly("the executor of the thread 'reader-*' was not shut down (12 threads)");
		}
		assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
	}

	/** The interrupt would keep its selector from waiting, and a processor busy. */
	@Test
	void aThreadThatRunsOnInSpiteOfAnInterruptWaitsAsBefore() throws Exception {
		try (AbstractSelector selector = SelectorProvider.provider().openSelector();
				OwnedBeans beans = OwnedBeans.watch(MBeanServerFactory.newMBeanServer())) {
			Thread loop = new Thread(() -> {
				while (selector.isOpen()) {
					try {
						selector.select();
					}
					catch (IOException | ClosedSelectorException ex) {
						return;
					}
				}
			}, "loop");
			loop.setDaemon(true);
			loop.setContextClassLoader(this.one);
			loop.start();
			assertThat(Aftermath.clean(this.one, beans, new JvmDefaults(), Duration.ofMillis(50))).singleElement()
				.asString()
				.startsWith("the thread 'loop' runs on: ");
			assertThat(loop.isInterrupted()).isFalse();
		}
	}

	/** Only the JDK's own are there for all. */
	@Test
	void threadsThatAnApplicationPutsIntoTheTopmostGroupEndWithIt() throws Exception {
		Thread own = inTopmostGroup("own", true);
		Thread named = inTopmostGroup("process reaper", false);
		Thread reaper = inTopmostGroup("process reaper (pid 1)", true);
		try {
			assertThat(Aftermath.clean(this.one, OwnedBeans.watch(MBeanServerFactory.newMBeanServer()),
					new JvmDefaults(), Duration.ofSeconds(30)))
				.isEmpty();
			assertThat(own.isAlive()).isFalse();
			assertThat(named.isAlive()).isFalse();
			assertThat(reaper.isAlive()).isTrue();
			assertThat(reaper.getContextClassLoader()).isSameAs(Aftermath.class.getClassLoader());
		}
		finally {
			List.of(own, named, reaper).forEach(Thread::interrupt);
		}
	}

	private Thread inTopmostGroup(String name, boolean daemon) {
		ThreadGroup topmost = Thread.currentThread().getThreadGroup();
		while (topmost.getParent() != null) {
			topmost = topmost.getParent();
		}
		CountDownLatch never = new CountDownLatch(1);
		Thread thread = new Thread(topmost, () -> {
			try {
				never.await();
			}
			catch (InterruptedException ex) {
				// Ends.
			}
		}, name);
		thread.setDaemon(daemon);
		thread.setContextClassLoader(this.one);
		thread.start();
		return thread;
	}

	private static byte[] bytes(Class<?> type) throws IOException {
		try (InputStream in = type.getResourceAsStream(type.getName().replaceFirst(".*\\.", "") + ".class")) {
			return in.readAllBytes();
		}
	}

	@Test
	void elementsBelongToTheApplicationThatAddedThem() throws Exception {
		OwnedSet set = new OwnedSet();
		in(this.one, () -> set.add("a"));
		in(this.two, () -> set.add("b"));
		in(this.one, () -> set.add("c"));
		assertThat(in(this.two, () -> set.add("c"))).isFalse();
		assertThat(set).containsExactly("a", "b", "c");
		assertThat(set.remove("b")).isTrue();
		assertThat(set.take(this.two)).isEmpty();
		assertThat(set.take(this.one)).containsExactly("a", "c");
		assertThat(set).isEmpty();
	}

	/** A standard MBean has the loader of the JDK, whatever it wraps. */
	@Test
	void beansBelongToTheApplicationThatRegisteredThem() throws Exception {
		MBeanServer server = MBeanServerFactory.newMBeanServer();
		ObjectName mine = new ObjectName("of:type=one");
		ObjectName other = new ObjectName("of:type=two");
		try (OwnedBeans beans = OwnedBeans.watch(server)) {
			in(this.one, () -> server.registerMBean(new StandardMBean(() -> "", Callable.class), mine));
			in(this.two, () -> server.registerMBean(new StandardMBean(() -> "", Callable.class), other));
			assertThat(server.getClassLoaderFor(mine)).isNotSameAs(this.one);
			assertThat(beans.remove(this.one)).containsExactly(mine);
			assertThat(beans.remove(this.one)).isEmpty();
			assertThat(server.isRegistered(mine)).isFalse();
			assertThat(server.isRegistered(other)).isTrue();
			server.unregisterMBean(other);
			assertThat(beans.remove(this.two)).isEmpty();
		}
	}

	/** The JDK takes a factory once, unless it is taken back. */
	@Test
	void whatAnApplicationHasSetForTheJvmIsSetBack() throws Exception {
		JvmDefaults defaults = new JvmDefaults();
		ProxySelector proxies = ProxySelector.getDefault();
		FileNameMap names = URLConnection.getFileNameMap();
		HostnameVerifier verifier = HttpsURLConnection.getDefaultHostnameVerifier();
		Class<?> type = in(this.one, () -> this.one.define(Settings.class.getName(), bytes(Settings.class)));
		Class<?> selector = in(this.one, () -> this.one.define(Selector.class.getName(), bytes(Selector.class)));
		for (int i = 0; i < 2; i++) {
			Object set = type.getDeclaredConstructor().newInstance();
			URL.setURLStreamHandlerFactory((URLStreamHandlerFactory) set);
			URLConnection.setContentHandlerFactory((ContentHandlerFactory) set);
			URLConnection.setFileNameMap((FileNameMap) set);
			HttpsURLConnection.setDefaultHostnameVerifier((HostnameVerifier) set);
			Thread.setDefaultUncaughtExceptionHandler((Thread.UncaughtExceptionHandler) set);
			ProxySelector.setDefault((ProxySelector) selector.getDeclaredConstructor().newInstance());
			assertThat(JvmDefaults.ownerOfUrlHandlers()).isEqualTo("one");
			assertThat(defaults.restore(this.two)).isEmpty();
			assertThat(defaults.restore(this.one)).hasSize(6)
				.contains("its factory of URL handlers was still that of the JVM");
			assertThat(defaults.restore(this.one)).isEmpty();
			assertThat(JvmDefaults.ownerOfUrlHandlers()).isNull();
			assertThat(ProxySelector.getDefault()).isSameAs(proxies);
			assertThat(URLConnection.getFileNameMap().getContentTypeFor("a.txt"))
				.isEqualTo(names.getContentTypeFor("a.txt"));
			assertThat(HttpsURLConnection.getDefaultHostnameVerifier()).isSameAs(verifier);
			assertThat(Thread.getDefaultUncaughtExceptionHandler()).isNull();
		}
	}

	/** Objects that a JVM has once. */
	public static final class Settings implements URLStreamHandlerFactory, ContentHandlerFactory, FileNameMap,
			HostnameVerifier, Thread.UncaughtExceptionHandler {

		@Override
		public URLStreamHandler createURLStreamHandler(String protocol) {
			return null;
		}

		@Override
		public ContentHandler createContentHandler(String type) {
			return null;
		}

		@Override
		public String getContentTypeFor(String name) {
			return null;
		}

		@Override
		public boolean verify(String host, SSLSession session) {
			return false;
		}

		@Override
		public void uncaughtException(Thread thread, Throwable thrown) {
		}

	}

	/** A JVM has one. */
	public static final class Selector extends ProxySelector {

		@Override
		public List<Proxy> select(URI uri) {
			return List.of(Proxy.NO_PROXY);
		}

		@Override
		public void connectFailed(URI uri, SocketAddress address, IOException failure) {
		}

	}

	/** An address has room for about 100 bytes. */
	@Test
	void socketsOfLongPathsAreReachedThroughALink(@TempDir Path directory) throws Exception {
		Path file = Files.createDirectories(directory.resolve("d".repeat(120))).resolve("a.sock");
		Path linked;
		try (SocketPath path = SocketPath.of(file);
				ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			server.bind(path.address());
			linked = path.address().getPath();
			assertThat(file).exists();
			assertThat(linked).isNotEqualTo(file);
			try (SocketChannel client = SocketChannel.open(path.address())) {
				assertThat(client.isConnected()).isTrue();
			}
		}
		assertThat(linked.getParent().getParent()).doesNotExist();
		assertThat(file).exists();
		try (SocketPath path = SocketPath.of(directory.resolve("a.sock"))) {
			assertThat(path.address().getPath()).isEqualTo(directory.resolve("a.sock"));
		}
	}

	/** Defined anew by the loader of an application. */
	public static final class Value {

	}

	/**
	 * Defined anew by the loader of an application.
	 *
	 * @param begun counted down when it runs
	 * @param end lets it return
	 */
	public record Work(CountDownLatch begun, CountDownLatch end) implements Runnable {

		@Override
		public void run() {
			this.begun.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
