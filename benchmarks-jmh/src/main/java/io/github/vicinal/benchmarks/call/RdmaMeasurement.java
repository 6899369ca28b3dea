package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.call.Sample.Load;
import io.grpc.ManagedChannel;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * The path rdma against RestClient and gRPC-java, on a machine with an RDMA device of
 * hardware. The server is a process of the same machine, and the device sends to itself.
 */
public final class RdmaMeasurement implements Measurement {

	private static final Path DEVICES = Path.of("/sys/class/infiniband");

	private static final Load ONE = new Load(1, 1, 0);

	private static final int[] KILOBYTES = { 1, 100, 4096 };

	private record Variant(String name, int kilobytes, Runnable call) {
	}

	@Override
	public String name() {
		return "rdma";
	}

	@Override
	public String description() {
		return "typed calls of 1 KB, 100 KB and 4 MB over rdma, against RestClient (HC5) with JSON and gRPC-java; needs a device";
	}

	/** Emulated devices say nothing about speed. */
	private static void requireHardware() throws UsageException {
		List<String> devices = List.of();
		try (Stream<Path> files = Files.list(DEVICES)) {
			devices = files.filter((device) -> Files.exists(device.resolve("device")))
				.map((device) -> device.getFileName().toString())
				.toList();
		}
		catch (IOException ex) {
			// There is no such directory on a machine without devices.
		}
		if (devices.isEmpty()) {
			throw new UsageException(
					"rdma is measured on hardware only, and %s shows none; emulated devices do not count"
						.formatted(DEVICES));
		}
	}

	@Override
	public Report run(Settings settings) throws Exception {
		requireHardware();
		Path directory = Files.createTempDirectory("vicinal-rdma");
		List<AutoCloseable> open = new ArrayList<>();
		try {
			RemoteLink link = RemoteLink.loopback();
			RemoteKeys keys = RemoteKeys.create(directory, List.of(link.server()));
			RemoteServer server = opened(open, RemoteServer.start(link, keys, Map.of()));
			EchoClient http = opened(open, EchoClient.at(server.url(), "http", true, Map.of()));
			EchoClient rdma = opened(open, EchoClient.at(server.url(), "rdma", true, Map.of()));
			ManagedChannel grpc = RemoteGrpc.connect(link.server(), server.grpcPort(false), null);
			open.add(grpc::shutdownNow);
			List<Variant> variants = new ArrayList<>();
			for (int kilobytes : KILOBYTES) {
				Echo.Order order = Echo.Order.sample(kilobytes);
				byte[] body = JsonMapper.builder().build().writeValueAsBytes(order);
				Echo httpEcho = http.echo();
				Echo rdmaEcho = rdma.echo();
				variants.add(new Variant("http, RestClient (HC5) with JSON", kilobytes, () -> httpEcho.order(order)));
				variants.add(new Variant("rdma", kilobytes, () -> rdmaEcho.order(order)));
				variants.add(new Variant("gRPC, bytes", kilobytes, () -> RemoteGrpc.call(grpc, body)));
			}
			return measure(settings, variants, server.pid());
		}
		finally {
			for (int i = open.size() - 1; i >= 0; i--) {
				open.get(i).close();
			}
			FileSystemUtils.deleteRecursively(directory);
		}
	}

	private static <T extends AutoCloseable> T opened(List<AutoCloseable> open, T resource) {
		open.add(resource);
		return resource;
	}

	private static Report measure(Settings settings, List<Variant> variants, long serverPid)
			throws InterruptedException {
		for (Variant variant : variants) {
			int seconds = Sample.warmUp(variant.call(), ONE, serverPid);
			settings.say((seconds < 0) ? "%s, %d KB: NO steady state" : "%s, %d KB: steady after %d s", variant.name(),
					variant.kilobytes(), seconds);
		}
		Map<Variant, List<Sample>> samples = new LinkedHashMap<>();
		int repeats = settings.quick() ? 3 : 7;
		for (int repeat = 1; repeat <= repeats; repeat++) {
			settings.say("Repeat %d of %d ...", repeat, repeats);
			for (Variant variant : variants) {
				samples.computeIfAbsent(variant, (key) -> new ArrayList<>())
					.add(Sample.take(variant.call(), ONE, settings.quick() ? 0.5 : 2, serverPid));
			}
		}
		Report report = new Report("variant", "KB", "p50 us", "p99 us", "CPU us/call", "calls");
		samples.forEach((variant, taken) -> {
			Sample median = Sample.median(taken);
			report.row(variant.name(), variant.kilobytes(), median.p50Micros(), median.p99Micros(), median.cpuMicros(),
					median.calls());
		});
		return report;
	}

}
