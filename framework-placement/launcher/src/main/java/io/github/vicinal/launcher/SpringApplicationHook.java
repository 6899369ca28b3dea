package io.github.vicinal.launcher;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Follows the start of a Spring Boot application, of whatever version, through the hook
 * that Spring Boot has for it since 3.0. The application's classes are not ours: all this
 * is reflection.
 */
final class SpringApplicationHook {

	private static final String APPLICATION = "org.springframework.boot.SpringApplication";

	private static final String WEB_SERVER = "org.springframework.boot.web.server.WebServer";

	private final ApplicationLoader loader;

	private final Runnable logPrepared;

	/** Contexts that were prepared, oldest first. */
	private final List<Closeable> contexts = new ArrayList<>();

	/** Web servers that have started, also those of contexts below these. */
	private final List<Object> servers = new ArrayList<>();

	/** Runs that are not over: an application may run others while it starts. */
	private int running;

	/** Those of them that have nothing left but their runners. */
	private int inRunners;

	/** Whether the launcher does not wait for runners any more. */
	private boolean settled;

	private volatile boolean ready;

	/** No further context may be prepared. */
	private boolean closing;

	private @Nullable ShutdownHandlers handlers;

	/**
	 * Creates a hook.
	 * @param loader the application's
	 * @param logPrepared called when the application may have set up its log
	 */
	SpringApplicationHook(ApplicationLoader loader, Runnable logPrepared) {
		this.loader = loader;
		this.logPrepared = logPrepared;
	}

	/**
	 * Calls a main method with the hook in place.
	 * @param mainClass has the method
	 * @param arguments its arguments
	 * @throws Throwable what the method threw
	 */
	void run(String mainClass, List<String> arguments) throws Throwable {
		Method main = main(mainClass);
		Class<?> application = application(mainClass);
		takeOverShutdown(application);
		Class<?> hook = load("org.springframework.boot.SpringApplicationHook");
		Object proxy = Proxy.newProxyInstance(this.loader, new Class<?>[] { hook },
				handler((method, values) -> listener(values[0])));
		Object[] mainArguments = (main.getParameterCount() == 0) ? new Object[0]
				: new Object[] { arguments.toArray(String[]::new) };
		List<Throwable> thrown = new ArrayList<>();
		Runnable action = () -> {
			try {
				main.invoke(null, mainArguments);
			}
			catch (InvocationTargetException ex) {
				thrown.add((ex.getCause() != null) ? ex.getCause() : ex);
			}
			catch (ReflectiveOperationException ex) {
				thrown.add(ex);
			}
		};
		application.getMethod("withHook", hook, Runnable.class).invoke(null, proxy, action);
		if (!thrown.isEmpty()) {
			throw thrown.get(0);
		}
	}

	/** Finds the method as Spring Boot's own launcher does: it need not be public. */
	private Method main(String mainClass) throws ApplicationFailedException {
		try {
			Class<?> type = Class.forName(mainClass, false, this.loader);
			for (Class<?> each = type; each != null; each = each.getSuperclass()) {
				Method main = find(each, String[].class);
				main = (main != null) ? main : find(each);
				if (main != null) {
					main.setAccessible(true);
					return main;
				}
			}
			throw new ApplicationFailedException(
					"its main class '%s' has no method 'static void main(String[])'".formatted(mainClass));
		}
		catch (UnsupportedClassVersionError ex) {
			throw ex;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			throw new ApplicationFailedException("its main class '%s' cannot be loaded: %s".formatted(mainClass, ex));
		}
	}

	private static @Nullable Method find(Class<?> type, Class<?>... parameters) {
		try {
			Method main = type.getDeclaredMethod("main", parameters);
			return Modifier.isStatic(main.getModifiers()) ? main : null;
		}
		catch (NoSuchMethodException ex) {
			return null;
		}
	}

	private Class<?> application(String mainClass) throws ApplicationFailedException {
		try {
			Class<?> type = Class.forName(APPLICATION, false, this.loader);
			type.getMethod("withHook", load("org.springframework.boot.SpringApplicationHook"), Runnable.class);
			return type;
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			throw new ApplicationFailedException(
					"'%s' comes without Spring Boot 3.0 or newer, which an application must have to be stopped alone"
						.formatted(mainClass));
		}
	}

	private void takeOverShutdown(Class<?> application) throws ApplicationFailedException {
		try {
			ShutdownHandlers taken = ShutdownHandlers.takeOver(application);
			synchronized (this) {
				this.handlers = taken;
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			if (this.loader.owns(application.getClassLoader())) {
				// The shutdown hook of the JVM is this application's alone.
				return;
			}
			throw new ApplicationFailedException(
					"its shutdown handlers cannot be distinguished from those of the others in this version of Spring Boot (%s); build the layout with --hoist stateless"
						.formatted(ex));
		}
	}

	private Class<?> load(String name) throws ClassNotFoundException {
		return Class.forName(name, false, this.loader);
	}

	/** Called for each run of a Spring application. */
	private Object listener(Object springApplication) throws ReflectiveOperationException {
		// The JVM outlives the application, and its hooks hold what they close.
		springApplication.getClass()
			.getMethod("setRegisterShutdownHook", boolean.class)
			.invoke(springApplication, false);
		Class<?> listener = load("org.springframework.boot.SpringApplicationRunListener");
		AtomicBoolean started = new AtomicBoolean();
		return Proxy.newProxyInstance(this.loader, new Class<?>[] { listener }, handler((method, values) -> {
			switch (method) {
				case "starting" -> begun();
				case "contextPrepared" -> prepared((Closeable) values[0]);
				case "started" -> started(started);
				case "ready" -> ended(started, true);
				case "failed" -> ended(started, false);
				default -> {
				}
			}
			return null;
		}));
	}

	private void begun() throws ReflectiveOperationException {
		synchronized (this) {
			abandonIfClosing();
			this.running++;
		}
		this.logPrepared.run();
	}

	private void prepared(Closeable context) throws ReflectiveOperationException {
		synchronized (this) {
			abandonIfClosing();
			this.contexts.add(context);
		}
		followServers(context);
		this.logPrepared.run();
	}

	/** Events of a context below, such as the actuator's, come to this one, too. */
	private void followServers(Closeable context) throws ReflectiveOperationException {
		Class<?> listener = load("org.springframework.context.event.SmartApplicationListener");
		Object proxy = Proxy.newProxyInstance(this.loader, new Class<?>[] { listener },
				handler((method, values) -> switch (method) {
					case "supportsEventType" -> isServerEvent((Class<?>) values[0]);
					case "getOrder" -> 0;
					case "getListenerId" -> "";
					case "onApplicationEvent" -> serverStarted(values[0]);
					default -> true;
				}));
		load("org.springframework.context.ConfigurableApplicationContext")
			.getMethod("addApplicationListener", load("org.springframework.context.ApplicationListener"))
			.invoke(context, proxy);
	}

	/** Its package differs between versions of Spring Boot. */
	private static boolean isServerEvent(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (each.getName().startsWith("org.springframework.boot.web.")
					&& each.getSimpleName().equals("WebServerInitializedEvent")) {
				return true;
			}
		}
		return false;
	}

	private @Nullable Object serverStarted(Object event) throws ReflectiveOperationException {
		Object server = event.getClass().getMethod("getWebServer").invoke(event);
		synchronized (this) {
			this.servers.add(server);
		}
		return null;
	}

	private void abandonIfClosing() throws ReflectiveOperationException {
		if (this.closing) {
			throw (RuntimeException) load(APPLICATION + "$AbandonedRunException").getConstructor().newInstance();
		}
	}

	private synchronized void started(AtomicBoolean run) {
		run.set(true);
		this.inRunners++;
	}

	private synchronized void ended(AtomicBoolean started, boolean successful) {
		this.running--;
		if (started.get()) {
			this.inRunners--;
		}
		this.ready = successful && this.running == 0;
	}

	/** Returns whether all runs so far were successful and are over. */
	boolean ready() {
		return this.ready;
	}

	/**
	 * Takes an application for one that runs if nothing is missing but that its runners
	 * return: some, such as those that consume messages, never do.
	 * @return whether it runs
	 */
	synchronized boolean settle() {
		this.settled = this.ready || (this.running > 0 && this.inRunners == this.running);
		return this.settled;
	}

	/** Returns whether a context was ready, but none is active any more. */
	synchronized boolean over() {
		return (this.ready || this.settled) && this.contexts.stream().noneMatch(SpringApplicationHook::active);
	}

	private static boolean active(Closeable context) {
		try {
			return Boolean.TRUE.equals(context.getClass().getMethod("isActive").invoke(context));
		}
		catch (ReflectiveOperationException ex) {
			return false;
		}
	}

	/** Returns how the application says that it is. */
	String health() {
		List<Closeable> asked;
		synchronized (this) {
			asked = List.copyOf(this.contexts);
		}
		return new HealthCheck(this.loader).ask(asked);
	}

	/** Returns the port of the application's web server, or {@code null}. */
	synchronized @Nullable String port() {
		for (Closeable context : this.contexts) {
			try {
				Object environment = context.getClass().getMethod("getEnvironment").invoke(context);
				Object port = load("org.springframework.core.env.PropertyResolver")
					.getMethod("getProperty", String.class)
					.invoke(environment, "local.server.port");
				if (port != null) {
					return port.toString();
				}
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				// It has none, or is closed.
			}
		}
		return null;
	}

	/**
	 * Does what Spring Boot does at the end of a JVM: closes all contexts, the youngest
	 * first, runs shutdown handlers, and ends the log.
	 * @return what failed, for people
	 */
	List<String> close() {
		List<Closeable> open;
		ShutdownHandlers added;
		synchronized (this) {
			this.closing = true;
			open = new ArrayList<>(this.contexts);
			added = this.handlers;
		}
		List<String> failures = new ArrayList<>();
		for (int i = open.size() - 1; i >= 0; i--) {
			try {
				open.get(i).close();
			}
			catch (IOException | RuntimeException ex) {
				failures.add("a context could not be closed: " + ex);
			}
		}
		if (added != null) {
			failures.addAll(added.run(this.loader));
		}
		stopLogging();
		return failures;
	}

	/**
	 * Stops the web servers when contexts do not close in time: their threads would keep
	 * the ports.
	 */
	void stopServers() {
		List<Object> started;
		synchronized (this) {
			started = List.copyOf(this.servers);
		}
		for (Object server : started) {
			try {
				Class<?> type = load(WEB_SERVER);
				type.getMethod("stop").invoke(server);
				type.getMethod("destroy").invoke(server);
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				// It is stopped as far as possible.
			}
		}
	}

	/** Does the work of the application's shutdown hook. */
	private void stopLogging() {
		try {
			Class<?> type = load("org.springframework.boot.logging.LoggingSystem");
			Object system = type.getMethod("get", ClassLoader.class).invoke(null, this.loader);
			if (type.getMethod("getShutdownHandler").invoke(system) instanceof Runnable handler) {
				handler.run();
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			// It has no log of Spring Boot's.
		}
	}

	private static InvocationHandler handler(Call call) {
		return (proxy, method, arguments) -> switch (method.getName()) {
			case "equals" -> proxy == arguments[0];
			case "hashCode" -> System.identityHashCode(proxy);
			case "toString" -> "launcher";
			default -> call.call(method.getName(), (arguments != null) ? arguments : new Object[0]);
		};
	}

	@FunctionalInterface
	private interface Call {

		@Nullable Object call(String method, Object[] arguments) throws ReflectiveOperationException;

	}

}
