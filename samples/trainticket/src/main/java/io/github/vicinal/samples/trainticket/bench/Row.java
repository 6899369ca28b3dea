package io.github.vicinal.samples.trainticket.bench;

import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * One line of the outcome: one request in one mode.
 *
 * @param mode name of the mode
 * @param request name of the request
 * @param processes number of JVMs
 * @param startMillis from the start of the JVMs until all services were healthy
 * @param operations requests that were sent
 * @param errors requests without a good answer
 * @param p50Millis median latency
 * @param p90Millis 90th percentile
 * @param p99Millis 99th percentile
 * @param cpuMillisPerOperation user and system time of all processes per request
 * @param rssKb resident set of all processes, -1 if unknown
 * @param pssKb proportional set of all processes, -1 if unknown
 * @param callsPerOperation calls between services per request, by path
 * @param steady whether the CPU time of a request no longer fell before it was measured
 */
record Row(String mode, String request, int processes, long startMillis, long operations, long errors, double p50Millis,
		double p90Millis, double p99Millis, double cpuMillisPerOperation, long rssKb, long pssKb,
		Map<String, Double> callsPerOperation, boolean steady) {

	static final String HEADER = String.format("%-16s %-18s %4s %6s %6s %9s %9s %9s %10s %8s %8s  %s", "mode",
			"request", "JVMs", "ops", "errors", "p50 ms", "p90 ms", "p99 ms", "CPU ms/op", "RSS MB", "PSS MB",
			"calls/op by path");

	String format() {
		String calls = this.callsPerOperation.entrySet()
			.stream()
			.map((entry) -> String.format("%s %.1f", entry.getKey(), entry.getValue()))
			.collect(Collectors.joining(", "));
		return String.format("%-16s %-18s %4d %6d %6d %9.1f %9.1f %9.1f %10.2f %8s %8s  %s", this.mode, this.request,
				this.processes, this.operations, this.errors, this.p50Millis, this.p90Millis, this.p99Millis,
				this.cpuMillisPerOperation, megabytes(this.rssKb), megabytes(this.pssKb),
				this.steady ? calls : calls + "; NOT STEADY, figures are too high");
	}

	static long orUnknown(OptionalLong value) {
		return value.orElse(-1);
	}

	private static String megabytes(long kb) {
		return (kb < 0) ? "?" : String.valueOf(kb / 1024);
	}

}
