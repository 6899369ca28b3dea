package io.github.vicinal.benchmarks.call;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.call.Sample.Load;

import org.springframework.context.ConfigurableApplicationContext;

/** Single typed calls through the annotated interface, against RestClient with JSON. */
public final class CallMeasurement implements Measurement {

	private static final Load ONE = new Load(1, 1, 0);

	private static final Load EIGHT = new Load(8, 1, 0);

	private static final Load PACED = new Load(1, 1, 1_000_000);

	/** Direct calls are about as short as reading the clock. */
	private static final Load BATCHES = new Load(1, 64, 0);

	@Override
	public String name() {
		return "call";
	}

	@Override
	public String description() {
		return "one typed call of 1 KB through an annotated interface, against RestClient (HC5) with JSON";
	}

	private static final String SECURED_HTTP = "secured, observed: http";

	private static final String SECURED_SHM = "secured, observed: shm";

	private static final String QUIET_HTTP = "secured, not observed: http";

	private static final String QUIET_SHM = "secured, not observed: shm";

	private record Variant(String name, Load load, Runnable call, long serverPid) {
	}

	@Override
	public Report run(Settings settings) throws Exception {
		int repeats = settings.quick() ? 3 : 7;
		double sampleSeconds = settings.quick() ? 0.5 : 2;
		Echo.Order order = Echo.Order.sample();
		Echo.Note note = Echo.Note.sample();
		settings.say("Starting three servers in JVMs of their own, two in this one, and their clients ...");
		try (EchoProcess server = EchoProcess.start();
				EchoProcess secured = EchoProcess.start(EchoSecurity.OBSERVED);
				EchoProcess quiet = EchoProcess.start(EchoSecurity.UNOBSERVED);
				ConfigurableApplicationContext near = EchoServer.start(true);
				ConfigurableApplicationContext unobserved = EchoServer.start(false);
				EchoClient http = EchoClient.start(server.port(), "http", true);
				EchoClient uds = EchoClient.start(server.port(), "uds", true);
				EchoClient direct = EchoClient.start(EchoServer.port(near), "direct", true);
				EchoClient directUnobserved = EchoClient.start(EchoServer.port(unobserved), "direct", false);
				EchoClient securedHttp = EchoClient.secured(secured.port(), "http");
				EchoClient securedShm = EchoClient.secured(secured.port(), "shm");
				EchoClient quietHttp = EchoClient.secured(quiet.port(), "http");
				EchoClient quietShm = EchoClient.secured(quiet.port(), "shm")) {
			settings.say("Codec over uds: %s, over direct: %s", uds.codec(), direct.codec());
			List<Variant> variants = new ArrayList<>();
			Echo httpEcho = http.echo();
			Echo udsEcho = uds.echo();
			Echo directEcho = direct.echo();
			Echo plainEcho = directUnobserved.echo();
			for (Load load : List.of(ONE, EIGHT, PACED)) {
				variants.add(new Variant("http", load, () -> httpEcho.order(order), server.pid()));
				variants.add(new Variant("uds", load, () -> udsEcho.order(order), server.pid()));
			}
			variants.add(new Variant("direct, copy", BATCHES, () -> directEcho.order(order), 0));
			variants.add(new Variant("direct, by reference", BATCHES, () -> directEcho.note(note), 0));
			variants.add(new Variant("direct, by reference, unobserved", BATCHES, () -> plainEcho.note(note), 0));
			Echo securedHttpEcho = securedHttp.echo();
			Echo securedShmEcho = securedShm.echo();
			Echo quietHttpEcho = quietHttp.echo();
			Echo quietShmEcho = quietShm.echo();
			for (Load load : List.of(ONE, EIGHT)) {
				variants.add(new Variant(SECURED_HTTP, load, () -> securedHttpEcho.order(order), secured.pid()));
				variants.add(new Variant(SECURED_SHM, load, () -> securedShmEcho.order(order), secured.pid()));
				variants.add(new Variant(QUIET_HTTP, load, () -> quietHttpEcho.order(order), quiet.pid()));
				variants.add(new Variant(QUIET_SHM, load, () -> quietShmEcho.order(order), quiet.pid()));
			}
			for (Variant variant : variants) {
				int seconds = Sample.warmUp(variant.call(), variant.load(), variant.serverPid());
				settings.say((seconds < 0) ? "%s, %s: NO steady state" : "%s, %s: steady after %d s", variant.name(),
						variant.load().describe(), seconds);
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
	}

	private static Report report(Map<Variant, List<Sample>> samples) {
		Report report = new Report("variant", "load", "p50 us", "p99 us", "CPU us/call", "calls")
			.chart("One typed call of 1 KB: CPU time of both processes, in us", "CPU us/call", "variant", "load");
		Map<String, Sample> medians = new LinkedHashMap<>();
		samples.forEach((variant, taken) -> {
			Sample median = Sample.median(taken);
			report.row(variant.name(), variant.load().describe(), median.p50Micros(), median.p99Micros(),
					median.cpuMicros(), median.calls());
			medians.put(variant.name() + ", " + variant.load().describe(), median);
		});
		Sample http1 = get(medians, "http, 1 caller");
		Sample http8 = get(medians, "http, 8 callers");
		Sample uds1 = get(medians, "uds, 1 caller");
		Sample uds8 = get(medians, "uds, 8 callers");
		report.bar("uds CPU / http CPU, 1 caller", uds1.cpuMicros() / http1.cpuMicros(), 1 / 4.0);
		report.bar("uds CPU / http CPU, 8 callers", uds8.cpuMicros() / http8.cpuMicros(), 1 / 5.0);
		report.bar("uds p50 / http p50, 8 callers", uds8.p50Micros() / http8.p50Micros(), 1 / 4.0);
		Sample copy = get(medians, "direct, copy, 1 caller");
		report.bar("direct with copy: p50 / http p50", copy.p50Micros() / http1.p50Micros(), 1 / 40.0);
		report.bar("direct with copy: CPU / http CPU", copy.cpuMicros() / http1.cpuMicros(), 1 / 40.0);
		Sample reference = get(medians, "direct, by reference, 1 caller");
		report.bar("direct by reference, observed: p50 / http p50", reference.p50Micros() / http1.p50Micros(),
				1 / 100.0);
		report.bar("direct by reference, observed: CPU / http CPU", reference.cpuMicros() / http1.cpuMicros(),
				1 / 100.0);
		Sample plain = get(medians, "direct, by reference, unobserved, 1 caller");
		report.bar("direct by reference, unobserved: p50 / http p50", plain.p50Micros() / http1.p50Micros(),
				1 / 1000.0);
		report.bar("direct by reference, unobserved: CPU / http CPU", plain.cpuMicros() / http1.cpuMicros(),
				1 / 1000.0);
		for (Load load : List.of(ONE, EIGHT)) {
			String callers = ", " + load.describe();
			report.bar("secured, observed: shm CPU / http CPU" + callers,
					get(medians, SECURED_SHM + callers).cpuMicros() / get(medians, SECURED_HTTP + callers).cpuMicros(),
					1 / 2.0);
			report.bar("secured, not observed: shm CPU / http CPU" + callers,
					get(medians, QUIET_SHM + callers).cpuMicros() / get(medians, QUIET_HTTP + callers).cpuMicros(),
					1 / 5.0);
		}
		return report;
	}

	private static Sample get(Map<String, Sample> medians, String name) {
		Sample sample = medians.get(name);
		if (sample == null) {
			throw new IllegalStateException(name);
		}
		return sample;
	}

}
