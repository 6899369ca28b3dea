package io.github.vicinal.benchmarks.crash;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement.Settings;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.ShmOptions;

/** Calls for long, and looks for errors and growth. */
final class Soak {

	private static final int CALLERS = 8;

	private static final long LOOK_MILLIS = 5000;

	/** Heaps and slabs find their size in the first part of the time. */
	private static final double SETTLING_SHARE = 0.25;

	/** A heap that breathes is no growth. */
	private static final double RESIDENT_RATIO = 1.15;

	private static final long PATIENCE_MILLIS = 20_000;

	private final Path directory;

	private final Settings settings;

	Soak(Path directory, Settings settings) {
		this.directory = directory;
		this.settings = settings;
	}

	Report run(double minutes) throws Exception {
		Report report = new Report("minute", "calls", "client holds MiB", "server RSS MiB", "client fds", "server fds",
				"client mappings", "server mappings")
			.chart("Memory that the client holds, in MiB", "client holds MiB", "minute");
		long end = System.nanoTime() + (long) (minutes * 60e9);
		long start = System.nanoTime();
		try (Victim server = Victim.server(this.directory)) {
			server.awaitReady();
			try (RawLanes.Client client = RawLanes.connect(this.directory, server.instanceId(), ShmOptions.defaults(),
					false)) {
				Load.reachHighWater(client, CALLERS, 1);
				Load load = new Load(client, CALLERS, 1 + CALLERS);
				Footprint firstOwn = null;
				Footprint firstServer = null;
				Footprint own = Footprint.own();
				Footprint other = Footprint.of(server.pid());
				while (System.nanoTime() - end < 0 && load.problems().isEmpty()) {
					TimeUnit.MILLISECONDS.sleep(
							Math.min(LOOK_MILLIS, Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()))));
					own = Footprint.own();
					other = Footprint.of(server.pid());
					double now = (System.nanoTime() - start) / 60e9;
					report.row(now, load.calls(), own.residentKib() / 1024, other.residentKib() / 1024,
							own.descriptors(), other.descriptors(), own.mappings(), other.mappings());
					this.settings.say("%.1f min: %d calls, client holds %d MiB, server RSS %d MiB, %d problems", now,
							load.calls(), own.residentKib() / 1024, other.residentKib() / 1024, load.problems().size());
					if (firstOwn == null && now > minutes * SETTLING_SHARE) {
						firstOwn = own;
						firstServer = other;
					}
				}
				load.stop();
				load.join(PATIENCE_MILLIS);
				load.problems().forEach((problem) -> this.settings.say("PROBLEM: %s", problem));
				report.bar("wrong answers and errors", load.problems().size() + server.complaintsSoFar(), 0);
				report.bar("lanes lost", ShmOptions.defaults().lanes() - client.lanes().freeLanes(), 0);
				report.bar("slabs lost", client.lanes().slabsInUse(), 0);
				if (firstOwn != null && firstServer != null) {
					grown(report, "client", firstOwn, own);
					grown(report, "server", firstServer, other);
				}
			}
		}
		return report;
	}

	private static void grown(Report report, String side, Footprint before, Footprint after) {
		report.bar(side + ": memory at the end / after the first quarter",
				(double) after.residentKib() / before.residentKib(), RESIDENT_RATIO);
		report.bar(side + ": file descriptors more", after.descriptors() - before.descriptors(), 0);
		report.bar(side + ": mappings more", after.mappings() - before.mappings(), 0);
	}

}
