package io.github.vicinal.benchmarks.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.call.Sample.Load;
import io.grpc.ManagedChannel;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/** The path tcp against RestClient and gRPC-java, over loopback and over veth. */
public final class RemoteMeasurement implements Measurement {

	private static final Load ONE = new Load(1, 1, 0);

	private static final Load EIGHT = new Load(8, 1, 0);

	private static final String HTTP = "http, RestClient (HC5) with JSON";

	private static final String TCP = "tcp";

	private static final String TCP_TLS = "tcp, TLS";

	private static final String GRPC = "gRPC, bytes";

	private static final String GRPC_TLS = "gRPC, bytes, TLS";

	private record Variant(String name, String link, int kilobytes, Load load, Runnable call, long serverPid) {

		String key() {
			return key(this.name, this.link, this.kilobytes, this.load);
		}

		static String key(String name, String link, int kilobytes, Load load) {
			return "%s, %s, %d KB, %s".formatted(name, link, kilobytes, load.describe());
		}

	}

	@Override
	public String name() {
		return "remote";
	}

	@Override
	public String description() {
		return "typed calls of 1 and 100 KB over tcp, against RestClient (HC5) with JSON and gRPC-java, plain and TLS";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path directory = Files.createTempDirectory("vicinal-remote");
		List<AutoCloseable> open = new ArrayList<>();
		try {
			List<RemoteLink> links = new ArrayList<>(List.of(RemoteLink.loopback()));
			try {
				RemoteLink veth = RemoteLink.veth();
				links.add(veth);
				open.add(veth);
			}
			catch (IOException ex) {
				settings.say("LEFT OUT: veth, which needs root: %s", String.valueOf(ex.getMessage()));
			}
			RemoteKeys keys = RemoteKeys.create(directory,
					links.stream().flatMap((link) -> List.of(link.server(), link.client()).stream()).toList());
			List<Variant> variants = new ArrayList<>();
			for (RemoteLink link : links) {
				settings.say("Starting servers and clients over %s ...", link.name());
				variants.addAll(variants(link, keys, open));
			}
			return measure(settings, variants);
		}
		finally {
			for (int i = open.size() - 1; i >= 0; i--) {
				open.get(i).close();
			}
			FileSystemUtils.deleteRecursively(directory);
		}
	}

	private static List<Variant> variants(RemoteLink link, RemoteKeys keys, List<AutoCloseable> open) throws Exception {
		Map<String, Object> encrypted = new HashMap<>(keys.properties());
		encrypted.put("vicinal.tcp.enabled", "true");
		RemoteServer server = opened(open, RemoteServer.start(link, keys, with(encrypted, link.server())));
		List<Variant> variants = new ArrayList<>();
		add(variants, HTTP, link, opened(open, EchoClient.at(server.url(), "http", true, Map.of())), server);
		add(variants, TCP_TLS, link,
				opened(open, EchoClient.at(server.url(), "tcp", true, with(encrypted, link.client()))), server);
		if (link.namespace().isEmpty()) {
			// Without TLS, tcp uses loopback addresses only.
			Map<String, Object> plain = Map.of("vicinal.tcp.enabled", "true");
			RemoteServer unencrypted = opened(open, RemoteServer.start(link, keys, plain));
			add(variants, TCP, link, opened(open, EchoClient.at(unencrypted.url(), "tcp", true, plain)), unencrypted);
		}
		for (boolean tls : new boolean[] { false, true }) {
			ManagedChannel channel = RemoteGrpc.connect(link.server(), server.grpcPort(tls), tls ? keys : null);
			open.add(channel::shutdownNow);
			for (int kilobytes : new int[] { 1, 100 }) {
				byte[] body = JsonMapper.builder().build().writeValueAsBytes(Echo.Order.sample(kilobytes));
				for (Load load : loads(kilobytes)) {
					variants.add(new Variant(tls ? GRPC_TLS : GRPC, link.name(), kilobytes, load,
							() -> RemoteGrpc.call(channel, body), server.pid()));
				}
			}
		}
		return variants;
	}

	private static List<Load> loads(int kilobytes) {
		return (kilobytes == 1) ? List.of(ONE, EIGHT) : List.of(ONE);
	}

	private static Map<String, Object> with(Map<String, Object> properties, String address) {
		Map<String, Object> all = new HashMap<>(properties);
		all.put("vicinal.tcp.address", address);
		return all;
	}

	private static <T extends AutoCloseable> T opened(List<AutoCloseable> open, T resource) {
		open.add(resource);
		return resource;
	}

	private static void add(List<Variant> variants, String name, RemoteLink link, EchoClient client,
			RemoteServer server) {
		Echo echo = client.echo();
		for (int kilobytes : new int[] { 1, 100 }) {
			Echo.Order order = Echo.Order.sample(kilobytes);
			for (Load load : loads(kilobytes)) {
				variants.add(new Variant(name, link.name(), kilobytes, load, () -> echo.order(order), server.pid()));
			}
		}
	}

	private static Report measure(Settings settings, List<Variant> variants) throws InterruptedException {
		int repeats = settings.quick() ? 3 : 7;
		double sampleSeconds = settings.quick() ? 0.5 : 2;
		for (Variant variant : variants) {
			int seconds = Sample.warmUp(variant.call(), variant.load(), variant.serverPid());
			settings.say((seconds < 0) ? "%s: NO steady state" : "%s: steady after %d s", variant.key(), seconds);
		}
		Map<Variant, List<Sample>> samples = new LinkedHashMap<>();
		for (int repeat = 1; repeat <= repeats; repeat++) {
			settings.say("Repeat %d of %d ...", repeat, repeats);
			for (Variant variant : variants) {
				samples.computeIfAbsent(variant, (key) -> new ArrayList<>())
					.add(Sample.take(variant.call(), variant.load(), sampleSeconds, variant.serverPid()));
			}
		}
		return report(samples);
	}

	private static Report report(Map<Variant, List<Sample>> samples) {
		Report report = new Report("variant", "link", "KB", "load", "p50 us", "p99 us", "CPU us/call", "calls")
			.chart("One call of 1 KB between hosts: CPU time of both processes, in us", "CPU us/call", "variant",
					"link", "load")
			.chartOnly((row) -> Integer.valueOf(1).equals(row.get("KB")), (label) -> !label.startsWith("tcp"));
		Map<String, Sample> medians = new HashMap<>();
		samples.forEach((variant, taken) -> {
			Sample median = Sample.median(taken);
			report.row(variant.name(), variant.link(), variant.kilobytes(), variant.load().describe(),
					median.p50Micros(), median.p99Micros(), median.cpuMicros(), median.calls());
			medians.put(variant.key(), median);
		});
		for (String link : List.of("loopback", "veth")) {
			bars(report, medians, link);
		}
		return report;
	}

	/** Over veth, tcp is there with TLS only, and compared with http without. */
	private static void bars(Report report, Map<String, Sample> medians, String link) {
		for (String tcp : List.of(TCP, TCP_TLS)) {
			String grpc = tcp.equals(TCP) ? GRPC : GRPC_TLS;
			for (Load load : loads(1)) {
				Sample ours = medians.get(Variant.key(tcp, link, 1, load));
				Sample http = medians.get(Variant.key(HTTP, link, 1, load));
				if (ours != null && http != null) {
					String what = "%s, 1 KB, %s, ".formatted(link, load.describe());
					report.bar(what + tcp + " p50 / http p50", ours.p50Micros() / http.p50Micros(), 1 / 4.0);
					report.bar(what + tcp + " CPU / http CPU", ours.cpuMicros() / http.cpuMicros(), 1 / 4.0);
				}
				cpu(report, medians, link, 1, load, tcp, grpc, 0.6);
			}
			Sample ours = medians.get(Variant.key(tcp, link, 100, ONE));
			Sample http = medians.get(Variant.key(HTTP, link, 100, ONE));
			if (ours != null && http != null) {
				String what = link + ", 100 KB, ";
				report.bar(what + tcp + " p50 / http p50", ours.p50Micros() / http.p50Micros(), 1 / 8.0);
				report.bar(what + tcp + " CPU / http CPU", ours.cpuMicros() / http.cpuMicros(), 1 / 8.0);
			}
		}
		for (Load load : loads(1)) {
			cpu(report, medians, link, 1, load, TCP_TLS, TCP, 1.4);
		}
	}

	private static void cpu(Report report, Map<String, Sample> medians, String link, int kilobytes, Load load,
			String ours, String theirs, double limit) {
		Sample one = medians.get(Variant.key(ours, link, kilobytes, load));
		Sample other = medians.get(Variant.key(theirs, link, kilobytes, load));
		if (one != null && other != null) {
			report.bar("%s, %d KB, %s, %s CPU / %s CPU".formatted(link, kilobytes, load.describe(), ours, theirs),
					one.cpuMicros() / other.cpuMicros(), limit);
		}
	}

}
