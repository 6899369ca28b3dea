package io.github.vicinal.benchmarks.shm;

import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.benchmarks.shm.ShmMeasurement.Cell;

/** Bars of the measurement, and their definitions. */
final class Bars {

	static final Cell FUTEX_FLOOR = new Cell("C, futex", Load.closed(1, 0));

	static final Cell FIFO_FLOOR = new Cell("C, FIFO", Load.closed(1, 0));

	static final Cell SOCKET_FLOOR = new Cell("C, UDS", Load.closed(1, ShmMeasurement.KIB));

	static final Cell FUTEX_APART = new Cell("C, futex, a processor each", Load.closed(1, 0));

	static final Cell FIFO_APART = new Cell("C, FIFO, a processor each", Load.closed(1, 0));

	static final Cell PARK_APART = new Cell(Transports.PARK + ", a processor each", Load.closed(1, ShmMeasurement.KIB));

	/** One byte per microsecond is a megabyte per second. */
	static final String COPY = "memory copy in blocks of 1 MB, MB/s";

	static final String IDLE_JVMS = "idle: two JVMs, nothing connected, cores";

	static final String IDLE_PEERS = "idle: 100 connected peers and two JVMs, cores";

	private static final int KIB = ShmMeasurement.KIB;

	private static final Load ONE = Load.closed(1, KIB);

	private static final Load EIGHT = Load.closed(8, KIB);

	private static final Load MANY = Load.closed(32, KIB);

	private static final Load PACED = Load.paced(KIB);

	private static final Load ONE_LARGE = Load.closed(1, 100 * KIB);

	private static final Load HUGE = Load.closed(1, KIB * KIB);

	private final Measured measured;

	private final Report report = new Report("payload", "load", "transport", "p50 us", "p99 us", "p99.9 us",
			"CPU us/call", "calls");

	private Bars(Measured measured) {
		this.measured = measured;
	}

	static String idle(String transport) {
		return "idle: %s, cores".formatted(transport);
	}

	static String allocation(String side, Load load) {
		return "allocated by the %s per raw call of %s, bytes".formatted(side, load.size());
	}

	static Report report(Measured measured) {
		return new Bars(measured).report();
	}

	private Report report() {
		for (Cell cell : this.measured.cells()) {
			Result result = this.measured.get(cell);
			this.report.row(cell.load().size(), cell.load().describe(), cell.transport(), result.p50Micros(),
					result.p99Micros(), result.p999Micros(), result.cpuMicros(), result.calls());
		}
		this.measured.figures().forEach((name) -> this.report.figure(name, this.measured.get(name)));
		this.report
			.chart("1 KB there and back: CPU time of all processes per call, in us", "CPU us/call", "transport", "load")
			.chartOnly(Bars::isDrawn, (label) -> !label.startsWith("lanes")
					&& !label.startsWith(ShmMeasurement.TYPED_SHM) && !label.startsWith(ShmMeasurement.TYPED_UDS));
		sockets();
		others();
		large();
		typed();
		resources();
		return this.report;
	}

	private static boolean isDrawn(Map<String, Object> row) {
		String load = String.valueOf(row.get("load"));
		return String.valueOf(row.get("payload")).equals("1 KB") && !load.contains("work") && !load.startsWith("32")
				&& !String.valueOf(row.get("transport")).startsWith("C,")
				&& !String.valueOf(row.get("transport")).endsWith("a processor each");
	}

	private void sockets() {
		String us = Transports.LEARNED;
		String them = Transports.SOCKET;
		p50(us, them, ONE, 1 / 40.0);
		cpu(us, them, ONE, 1 / 12.0);
		p50(us, them, EIGHT, 1 / 4.0);
		ratio("p99", us, them, EIGHT, Result::p99Micros, 1 / 4.0);
		cpu(us, them, EIGHT, 1 / 4.0);
		p50(us, them, MANY, 1 / 4.0);
		cpu(us, them, MANY, 1 / 4.0);
		p50(us, them, PACED, 1);
		p50(us, them, ONE_LARGE, 0.4);
	}

	private void others() {
		p50(Transports.LEARNED, Transports.AERON, ONE, 1.2);
		p50(Transports.LEARNED, Transports.AERON, EIGHT, 1 / 4.0);
		this.report.bar("%s: p50 / that of the C program's futex, a processor each".formatted(Transports.PARK),
				this.measured.get(PARK_APART).p50Micros() / this.measured.get(FUTEX_APART).p50Micros(), 1.3);
		cpu(ShmMeasurement.TYPED_SHM, Transports.GRPC, ONE, 1 / 10.0);
		cpu(ShmMeasurement.TYPED_SHM, Transports.GRPC, EIGHT, 1 / 10.0);
	}

	/** Received bytes count: one megabyte at the server, and one at the client. */
	private void large() {
		double arrived = 2.0 * HUGE.bytes() / this.measured.get(Transports.LEARNED, HUGE).p50Micros();
		this.report.figure("payload that arrives, calls of 1 MB, MB/s", arrived);
		this.report.bar("calls of 1 MB: speed of a memory copy / payload that arrives",
				this.measured.get(COPY) / arrived, 2);
	}

	private void typed() {
		String us = ShmMeasurement.TYPED_SHM;
		String them = ShmMeasurement.TYPED_HTTP;
		p50(us, them, ONE, 1 / 20.0);
		cpu(us, them, ONE, 1 / 30.0);
		p50(us, them, EIGHT, 1 / 15.0);
		cpu(us, them, EIGHT, 1 / 15.0);
		p50(us, them, ONE_LARGE, 1 / 10.0);
		cpu(us, them, ONE_LARGE, 1 / 10.0);
		p50(ShmMeasurement.TYPED_SHM_TEXT, ShmMeasurement.TYPED_HTTP_TEXT, ONE_LARGE, 1 / 10.0);
		cpu(ShmMeasurement.TYPED_SHM_TEXT, ShmMeasurement.TYPED_HTTP_TEXT, ONE_LARGE, 1 / 10.0);
	}

	private void resources() {
		this.report.bar("idle lanes: cores beyond those of the same JVMs, at most 0.1 % of one",
				this.measured.get(idle(Transports.LEARNED)) - this.measured.get(idle("nothing, the same JVMs")), 0.001);
		this.report.bar(IDLE_PEERS, this.measured.get(IDLE_PEERS), 0.005);
		for (Load load : new Load[] { ONE, ONE_LARGE }) {
			for (String side : new String[] { "client", "server" }) {
				this.report.bar(allocation(side, load), this.measured.get(allocation(side, load)), 0);
			}
		}
	}

	private void p50(String one, String other, Load load, double limit) {
		ratio("p50", one, other, load, Result::p50Micros, limit);
	}

	private void cpu(String one, String other, Load load, double limit) {
		ratio("CPU", one, other, load, Result::cpuMicros, limit);
	}

	private void ratio(String figure, String one, String other, Load load, ToDoubleFunction<Result> what,
			double limit) {
		this.report.bar("%s, %s: %s of %s / %s".formatted(load.size(), load.describe(), figure, one, other),
				what.applyAsDouble(this.measured.get(one, load)) / what.applyAsDouble(this.measured.get(other, load)),
				limit);
	}

}
