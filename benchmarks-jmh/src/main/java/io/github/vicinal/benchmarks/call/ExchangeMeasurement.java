package io.github.vicinal.benchmarks.call;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.call.Sample.Load;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * HTTP exchanges of RestClient with Apache HttpClient, against the same client by TCP.
 */
public final class ExchangeMeasurement implements Measurement {

	private static final Load ONE = new Load(1, 1, 0);

	private static final Load EIGHT = new Load(8, 1, 0);

	private static final Load PACED = new Load(1, 1, 1_000_000);

	private static final String TCP = "two JVMs: http";

	private static final String SHM = "two JVMs: shm";

	private static final String UDS = "two JVMs: uds";

	private static final String DIRECT = "one JVM: direct";

	private static final String NEAR_TCP = "one JVM: http";

	private static final String SECURED_TCP = "secured, observed: http";

	private static final String SECURED_SHM = "secured, observed: shm";

	private static final String QUIET_TCP = "secured, not observed: http";

	private static final String QUIET_SHM = "secured, not observed: shm";

	@Override
	public String name() {
		return "exchange";
	}

	@Override
	public String description() {
		return "one HTTP exchange of 1 KB JSON by RestClient (HC5), against the same client by TCP";
	}

	private record Variant(String name, Load load, ExchangeClient client, long serverPid) {

		void call(Echo.Order order) {
			this.client.order(order);
		}

	}

	@Override
	public Report run(Settings settings) throws Exception {
		int repeats = settings.quick() ? 3 : 7;
		double sampleSeconds = settings.quick() ? 0.5 : 2;
		Echo.Order order = Echo.Order.sample();
		settings.say("Starting three servers in JVMs of their own, one in this one, and their clients ...");
		try (EchoProcess server = EchoProcess.start();
				EchoProcess secured = EchoProcess.start(EchoSecurity.OBSERVED);
				EchoProcess quiet = EchoProcess.start(EchoSecurity.UNOBSERVED);
				ConfigurableApplicationContext near = EchoServer.start(true);
				ExchangeClient tcp = ExchangeClient.start(server.port(), "http", false);
				ExchangeClient shm = ExchangeClient.start(server.port(), "shm", false);
				ExchangeClient uds = ExchangeClient.start(server.port(), "uds", false);
				ExchangeClient nearTcp = ExchangeClient.start(EchoServer.port(near), "http", false);
				ExchangeClient direct = ExchangeClient.start(EchoServer.port(near), "direct", false);
				ExchangeClient securedTcp = ExchangeClient.start(secured.port(), "http", true);
				ExchangeClient securedShm = ExchangeClient.start(secured.port(), "shm", true);
				ExchangeClient quietTcp = ExchangeClient.start(quiet.port(), "http", true);
				ExchangeClient quietShm = ExchangeClient.start(quiet.port(), "shm", true)) {
			List<Variant> variants = new ArrayList<>();
			for (Load load : List.of(ONE, EIGHT, PACED)) {
				variants.add(new Variant(TCP, load, tcp, server.pid()));
				variants.add(new Variant(SHM, load, shm, server.pid()));
				variants.add(new Variant(UDS, load, uds, server.pid()));
			}
			for (Load load : List.of(ONE, EIGHT)) {
				variants.add(new Variant(NEAR_TCP, load, nearTcp, 0));
				variants.add(new Variant(DIRECT, load, direct, 0));
				variants.add(new Variant(SECURED_TCP, load, securedTcp, secured.pid()));
				variants.add(new Variant(SECURED_SHM, load, securedShm, secured.pid()));
				variants.add(new Variant(QUIET_TCP, load, quietTcp, quiet.pid()));
				variants.add(new Variant(QUIET_SHM, load, quietShm, quiet.pid()));
			}
			for (Variant variant : variants) {
				int seconds = Sample.warmUp(() -> variant.call(order), variant.load(), variant.serverPid());
				settings.say((seconds < 0) ? "%s, %s: NO steady state" : "%s, %s: steady after %d s", variant.name(),
						variant.load().describe(), seconds);
			}
			Map<Variant, List<Sample>> samples = new LinkedHashMap<>();
			for (int repeat = 1; repeat <= repeats; repeat++) {
				settings.say("Repeat %d of %d ...", repeat, repeats);
				for (Variant variant : variants) {
					samples.computeIfAbsent(variant, (key) -> new ArrayList<>())
						.add(Sample.take(() -> variant.call(order), variant.load(), sampleSeconds,
								variant.serverPid()));
				}
			}
			return report(samples);
		}
	}

	private static Report report(Map<Variant, List<Sample>> samples) {
		Report report = new Report("variant", "load", "p50 us", "p99 us", "CPU us/call", "calls")
			.chart("One HTTP exchange of 1 KB: CPU time of both sides, in us", "CPU us/call", "variant", "load");
		Map<String, Sample> medians = new LinkedHashMap<>();
		samples.forEach((variant, taken) -> {
			Sample median = Sample.median(taken);
			report.row(variant.name(), variant.load().describe(), median.p50Micros(), median.p99Micros(),
					median.cpuMicros(), median.calls());
			medians.put(variant.name() + variant.load().describe(), median);
		});
		bars(report, medians, SHM, TCP, ONE, 1 / 5.0, 1 / 2.5);
		bars(report, medians, SHM, TCP, EIGHT, 1 / 4.0, 1 / 2.5);
		p50(report, medians, SHM, TCP, PACED, 1 / 2.0);
		for (Load load : List.of(ONE, EIGHT)) {
			bars(report, medians, SECURED_SHM, SECURED_TCP, load, 1 / 2.0, 0.65);
			bars(report, medians, QUIET_SHM, QUIET_TCP, load, 1 / 4.0, 0.45);
			bars(report, medians, DIRECT, NEAR_TCP, load, 1 / 5.0, 1 / 6.0);
		}
		return report;
	}

	private static void bars(Report report, Map<String, Sample> medians, String path, String rival, Load load,
			double p50, double cpu) {
		p50(report, medians, path, rival, load, p50);
		report.bar("%s: CPU / http CPU, %s".formatted(path, load.describe()),
				get(medians, path, load).cpuMicros() / get(medians, rival, load).cpuMicros(), cpu);
	}

	private static void p50(Report report, Map<String, Sample> medians, String path, String rival, Load load,
			double limit) {
		report.bar("%s: p50 / http p50, %s".formatted(path, load.describe()),
				get(medians, path, load).p50Micros() / get(medians, rival, load).p50Micros(), limit);
	}

	private static Sample get(Map<String, Sample> medians, String name, Load load) {
		Sample sample = medians.get(name + load.describe());
		if (sample == null) {
			throw new IllegalStateException(name);
		}
		return sample;
	}

}
