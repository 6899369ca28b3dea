package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipFile;

import org.jspecify.annotations.Nullable;

/** Shared state of the applications in one JVM, and their isolation. */
final class Environment implements AutoCloseable {

	private final Path directory;

	private final List<String> sharedEntries;

	private final SharedLoader shared;

	private final ThreadGroup threads = new ThreadGroup("applications");

	private final SystemProperties properties;

	private final PrefixedOutput out;

	private final PrefixedOutput err;

	private final Usage usage = new Usage();

	private final RoutedLog log;

	private final OwnedBeans beans = OwnedBeans.watch(ManagementFactory.getPlatformMBeanServer());

	private final FlightRecordings recordings = FlightRecordings.watch();

	private final JvmDefaults defaults = new JvmDefaults();

	private final @Nullable SharedLog sharedLog;

	private Environment(Layout layout, SystemProperties properties, PrefixedOutput out, PrefixedOutput err) {
		this.directory = layout.directory();
		this.sharedEntries = layout.shared();
		this.shared = new SharedLoader(urls(layout));
		this.properties = properties;
		this.out = out;
		this.err = err;
		this.log = new RoutedLog();
		this.log.install();
		this.sharedLog = SharedLog.connect(this.shared);
		this.shared.initializeEarly();
	}

	/**
	 * Takes over what is there once per JVM: system properties, standard output and
	 * error, and the cache of open jars, which would keep those of stopped applications.
	 */
	static Environment install(Layout layout) {
		JdkThreads.install();
		SystemProperties properties = new SystemProperties(System.getProperties());
		Charset charset = Charset.defaultCharset();
		PrefixedOutput out = new PrefixedOutput(System.out, charset);
		PrefixedOutput err = new PrefixedOutput(System.err, charset);
		System.setProperties(properties);
		System.setOut(new PrintStream(out, true, charset));
		System.setErr(new PrintStream(err, true, charset));
		URLConnection.setDefaultUseCaches("jar", false);
		startThreadsOfTheJdk();
		return new Environment(layout, properties, out, err);
	}

	/**
	 * Threads that the JDK starts once for all keep the loader of the first application.
	 */
	private static void startThreadsOfTheJdk() {
		CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS).execute(() -> {
		});
	}

	private static URL[] urls(Layout layout) {
		try {
			List<URL> urls = new ArrayList<>();
			for (String entry : layout.shared()) {
				urls.add(layout.directory().resolve(entry).toUri().toURL());
			}
			return urls.toArray(URL[]::new);
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path resolve(String entry) {
		return this.directory.resolve(entry);
	}

	/**
	 * Says which files of a class path are no jars: a class loader takes no notice of
	 * them, and the classes in them are just not found.
	 * @param entries of the class path of an application, beside what is shared
	 * @return the rest of a sentence that says why it does not run, or an empty text
	 */
	String damagedFiles(List<String> entries) {
		List<String> damaged = new ArrayList<>();
		List<String> all = new ArrayList<>(entries);
		all.addAll(this.sharedEntries);
		for (String entry : all) {
			try {
				new ZipFile(resolve(entry).toFile()).close();
			}
			catch (IOException ex) {
				damaged.add("'%s' (%s)".formatted(entry, ex.getMessage()));
			}
		}
		return damaged.isEmpty() ? ""
				: "; build the layout again, because of these files: " + String.join(", ", damaged);
	}

	ClassLoader shared() {
		return this.shared;
	}

	ThreadGroup threads() {
		return this.threads;
	}

	SystemProperties properties() {
		return this.properties;
	}

	Usage usage() {
		return this.usage;
	}

	OwnedBeans beans() {
		return this.beans;
	}

	FlightRecordings recordings() {
		return this.recordings;
	}

	JvmDefaults defaults() {
		return this.defaults;
	}

	RoutedLog log() {
		return this.log;
	}

	void ended(ApplicationLoader loader) {
		this.log.end(loader);
		this.shared.forgetFirst();
		if (this.sharedLog != null) {
			this.sharedLog.end(loader);
		}
		try {
			this.out.end(loader);
			this.err.end(loader);
		}
		catch (IOException ex) {
			// Nobody reads them.
		}
	}

	@Override
	public void close() throws IOException {
		this.beans.close();
		this.recordings.close();
		this.shared.close();
	}

}
