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

/** Cost of idle connections of the path tcp to a server. */
public final class IdleMeasurement implements Measurement {

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
		int seconds = settings.quick() ? 35 : 120;
		Path directory = Files.createTempDirectory("vicinal-idle");
		RemoteLink link = RemoteLink.loopback();
		try (RemoteServer server = RemoteServer.start(link, RemoteKeys.create(directory, List.of(link.server())),
				Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.max-connections", connections + 1))) {
			// The classes that the first connections load remain.
			new IdleConnections(server.url(), 100).close();
			double bytesBefore = server.usedBytes();
			double residentBefore = server.residentBytes();
			settings.say("Opening %d connections ...", connections);
			try (IdleConnections idle = new IdleConnections(server.url(), connections)) {
				double bytes = (server.usedBytes() - bytesBefore) / connections;
				double resident = (server.residentBytes() - residentBefore) / connections;
				settings.say("They are idle for %d s, in which the server pings ...", seconds);
				double before = ProcessCpu.micros(server.pid());
				long begin = System.nanoTime();
				TimeUnit.SECONDS.sleep(seconds);
				double core = (ProcessCpu.micros(server.pid()) - before)
						/ TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin);
				Report report = new Report("connections", "heap and buffers KB each", "resident KB each", "% of a core",
						"pings", "lost");
				report.row(connections, bytes / 1024, resident / 1024, core * 100, idle.pings(), idle.lost());
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
