package io.github.vicinal.benchmarks.call;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.ProcessCpu;
import io.github.vicinal.benchmarks.Report;

import org.springframework.util.FileSystemUtils;

/**
 * Cost of idle connections of the path tcp to a server, in two rounds after they were
 * opened. A round is as long as it takes to ping each of them once: connections that are
 * opened together are pinged together, so that a shorter time has too many pings or too
 * few. The first round compiles what pings need; the bar is that of the second.
 */
public final class IdleMeasurement implements Measurement {

	/** A connection without calls is pinged after this multiple of the interval. */
	private static final int IDLE_INTERVALS = 4;

	private static final double MAX_CORE = 0.01;

	private static final double MAX_KILOBYTES = 20;

	@Override
	public String name() {
		return "tcp-idle";
	}

	@Override
	public String description() {
		return "processor and memory of a server with 10,000 connections of the path tcp that make no calls";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int connections = settings.quick() ? 1000 : 10_000;
		int interval = settings.quick() ? 8 : 30;
		int round = IDLE_INTERVALS * interval;
		Path directory = Files.createTempDirectory("vicinal-idle");
		RemoteLink link = RemoteLink.loopback();
		try (RemoteServer server = RemoteServer.start(link, RemoteKeys.create(directory, List.of(link.server())),
				Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.max-connections", connections + 1,
						"vicinal.tcp.ping-interval", interval + "s"))) {
			// The classes that the first connections load remain.
			new IdleConnections(server.url(), 100).close();
			double bytesBefore = server.usedBytes();
			double residentBefore = server.residentBytes();
			settings.say("Opening %d connections ...", connections);
			try (IdleConnections idle = new IdleConnections(server.url(), connections)) {
				double bytes = (server.usedBytes() - bytesBefore) / connections;
				double resident = (server.residentBytes() - residentBefore) / connections;
				Report report = new Report("connections", "round", "seconds", "% of a core", "pings", "lost",
						"heap and buffers KB each", "resident KB each");
				double core = 0;
				for (String name : List.of("first, compiles", "second")) {
					settings.say("They are idle, and the server pings each of them once: round %s ...", name);
					int pings = idle.pings();
					double before = ProcessCpu.micros(server.pid());
					long begin = System.nanoTime();
					TimeUnit.SECONDS.sleep(round);
					double micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin);
					core = (ProcessCpu.micros(server.pid()) - before) / micros;
					report.row(connections, name, micros / 1e6, core * 100, idle.pings() - pings, idle.lost(),
							bytes / 1024, resident / 1024);
				}
				report.bar("part of a core", core, MAX_CORE);
				report.bar("KB for each connection", bytes / 1024, MAX_KILOBYTES);
				report.bar("connections that were lost", idle.lost(), 0);
				return report;
			}
		}
		finally {
			FileSystemUtils.deleteRecursively(directory);
		}
	}

}
