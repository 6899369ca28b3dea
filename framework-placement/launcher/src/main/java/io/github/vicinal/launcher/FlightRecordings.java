package io.github.vicinal.launcher;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.jspecify.annotations.Nullable;

/**
 * Remembers whose threads have started which flight recordings, which do not say it
 * themselves, and ends those of an application that has stopped, with its periodic events
 * and listeners. A runtime image may lack the flight recorder. Thread-safe.
 */
final class FlightRecordings implements AutoCloseable {

	private static final String MODULE = "jdk.jfr";

	private final @Nullable Watch watch;

	private FlightRecordings(@Nullable Watch watch) {
		this.watch = watch;
	}

	/** Looks at what is started from now on. This does not start the flight recorder. */
	static FlightRecordings watch() {
		if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
			return new FlightRecordings(null);
		}
		Watch watch = new Watch();
		watch.begin();
		return new FlightRecordings(watch);
	}

	/**
	 * Ends the recordings of an application as the end of its own JVM would: those that
	 * are to be dumped at exit are.
	 * @param loader of an application that has stopped
	 * @param findings gets what was ended, for people
	 */
	void end(ApplicationLoader loader, List<String> findings) {
		if (this.watch != null) {
			this.watch.end(loader, findings);
		}
	}

	@Override
	public void close() {
		if (this.watch != null) {
			FlightRecorder.removeListener(this.watch);
		}
	}

	/** Loaded only where there is a flight recorder. */
	private static final class Watch implements FlightRecorderListener {

		private static final String LISTENERS = "jdk.jfr.internal.PlatformRecorder";

		/** Where the JDK has periodic events before and since Java 21. */
		private static final String[] PERIODIC = { "jdk.jfr.internal.RequestEngine",
				"jdk.jfr.internal.periodic.PeriodicEvents" };

		private final Map<Recording, ApplicationLoader> owners = new ConcurrentHashMap<>();

		void begin() {
			FlightRecorder.addListener(this);
		}

		/**
		 * Called by the thread that starts, stops or closes it. Nobody is called when one
		 * is scheduled.
		 */
		@Override
		public void recordingStateChanged(Recording recording) {
			if (recording.getState() == RecordingState.CLOSED) {
				this.owners.remove(recording);
				return;
			}
			ApplicationLoader owner = ApplicationThreads.owner(Thread.currentThread());
			if (owner != null) {
				this.owners.putIfAbsent(recording, owner);
			}
		}

		void end(ApplicationLoader loader, List<String> findings) {
			for (Map.Entry<Recording, ApplicationLoader> each : this.owners.entrySet()) {
				if (each.getValue() == loader) {
					end(loader, each.getKey(), findings);
				}
			}
			this.owners.values().removeIf((owner) -> owner == loader);
			try {
				for (Runnable event : owned(loader, periodicEvents(), Runnable.class)) {
					if (FlightRecorder.removePeriodicEvent(event)) {
						findings.add("a periodic event of the flight recorder was still there");
					}
				}
				Collection<?> listeners = elements(value(Class.forName(LISTENERS), null, "changeListeners"));
				for (FlightRecorderListener listener : owned(loader, listeners, FlightRecorderListener.class)) {
					if (FlightRecorder.removeListener(listener)) {
						findings.add("a listener of the flight recorder was still there");
					}
				}
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				findings.add("what the flight recorder has cannot be looked for (%s); start the launcher with java -jar"
					.formatted(ex.getClass().getSimpleName()));
			}
		}

		private static void end(ApplicationLoader loader, Recording recording, List<String> findings) {
			try {
				if (recording.getState() == RecordingState.RUNNING) {
					findings.add("the flight recording '%s' was still running".formatted(recording.getName()));
					recording.setDestination(destination(loader, recording));
					recording.stop();
				}
			}
			catch (IOException | RuntimeException ex) {
				findings.add("the flight recording '%s' could not be written: %s".formatted(recording.getName(), ex));
			}
			finally {
				recording.close();
			}
		}

		/**
		 * At the end of a JVM, a recording is written only if it is to be dumped then.
		 */
		private static @Nullable Path destination(ApplicationLoader loader, Recording recording) {
			if (!recording.getDumpOnExit()) {
				return null;
			}
			Path named = recording.getDestination();
			return (named != null) ? named : Path
				.of("%s-%d-%d.jfr".formatted(loader.application(), recording.getId(), Instant.now().toEpochMilli()));
		}

		private static Collection<?> periodicEvents() throws ReflectiveOperationException {
			try {
				return elements(value(Class.forName(PERIODIC[0]), null, "entries"));
			}
			catch (ClassNotFoundException ex) {
				Object repository = value(Class.forName(PERIODIC[1]), null, "taskRepository");
				return (repository != null) ? elements(value(repository.getClass(), repository, "lookup")) : List.of();
			}
		}

		private static Collection<?> elements(@Nullable Object container) {
			if (container instanceof Map<?, ?> map) {
				return new ArrayList<>(map.values());
			}
			return (container instanceof Collection<?> collection) ? new ArrayList<>(collection) : List.of();
		}

		/** Some versions of the JDK wrap what an application has given. */
		private static <T> List<T> owned(ApplicationLoader loader, Collection<?> elements, Class<T> type)
				throws IllegalAccessException {
			List<T> owned = new ArrayList<>();
			for (Object element : elements) {
				if (type.isInstance(element) && owns(loader, element)) {
					owned.add(type.cast(element));
				}
				for (Field field : element.getClass().getDeclaredFields()) {
					if (type.isAssignableFrom(field.getType()) && isJdk(element)) {
						field.setAccessible(true);
						Object wrapped = field.get(element);
						if (wrapped != null && owns(loader, wrapped)) {
							owned.add(type.cast(wrapped));
						}
					}
				}
			}
			return owned;
		}

		private static boolean isJdk(Object element) {
			return MODULE.equals(element.getClass().getModule().getName());
		}

		private static boolean owns(ApplicationLoader loader, Object object) {
			return loader.owns(object.getClass().getClassLoader());
		}

		private static @Nullable Object value(Class<?> type, @Nullable Object target, String name)
				throws ReflectiveOperationException {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field.get(target);
		}

	}

}
