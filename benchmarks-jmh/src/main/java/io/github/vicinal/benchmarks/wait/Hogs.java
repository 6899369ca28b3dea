package io.github.vicinal.benchmarks.wait;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes that always want a processor. They end with {@link #close()}, and by
 * themselves if this process has ended.
 */
final class Hogs implements AutoCloseable {

	private static final String LOOP = "while kill -0 $PPID 2>/dev/null; do "
			+ "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; done";

	private static final long PHASE_MILLIS = 1000;

	private final int count;

	private final List<Process> processes = new ArrayList<>();

	private final Thread cleaner = new Thread(this::stop, "hog-cleaner");

	private final Thread switcher;

	private volatile boolean closed;

	private Hogs(int count, boolean onAndOff) {
		this.count = count;
		this.switcher = new Thread(this::comeAndGo, "hog-switcher");
		this.switcher.setDaemon(true);
		Runtime.getRuntime().addShutdownHook(this.cleaner);
		start();
		if (onAndOff) {
			this.switcher.start();
		}
	}

	static Hogs start(int count, boolean onAndOff) {
		return new Hogs(count, onAndOff);
	}

	private synchronized void start() {
		try {
			for (int i = 0; i < this.count && !this.closed; i++) {
				this.processes.add(new ProcessBuilder("sh", "-c", LOOP).redirectErrorStream(true)
					.redirectOutput(ProcessBuilder.Redirect.DISCARD)
					.start());
			}
		}
		catch (IOException ex) {
			stop();
			throw new IllegalStateException("No load can be made: " + ex.getMessage(), ex);
		}
	}

	private synchronized void stop() {
		this.processes.forEach(Process::destroyForcibly);
		this.processes.clear();
	}

	private void comeAndGo() {
		try {
			while (!this.closed) {
				TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
				stop();
				TimeUnit.MILLISECONDS.sleep(PHASE_MILLIS);
				start();
			}
		}
		catch (InterruptedException ex) {
			// The end.
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.switcher.interrupt();
		stop();
		Runtime.getRuntime().removeShutdownHook(this.cleaner);
	}

}
