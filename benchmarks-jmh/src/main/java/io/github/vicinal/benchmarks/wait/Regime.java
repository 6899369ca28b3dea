package io.github.vicinal.benchmarks.wait;

import java.util.List;

/**
 * A load on the channel, and what runs beside it.
 *
 * @param name names it on the command line
 * @param callers number of threads that call
 * @param paced whether they call once a millisecond
 * @param hogs number of threads of others that want the processors
 * @param onAndOff whether those come and go each second
 */
record Regime(String name, int callers, boolean paced, int hogs, boolean onAndOff) {

	private static final int FEW = 4;

	private static final int MANY = 40;

	static final List<Regime> ALL = List.of(new Regime("quiet-1", 1, false, 0, false),
			new Regime("quiet-8", 8, false, 0, false), new Regime("quiet-32", 32, false, 0, false),
			new Regime("paced", 1, true, 0, false), new Regime("hogs-1", 1, false, FEW, false),
			new Regime("hogs-8", 8, false, FEW, false), new Regime("hogs-32", 32, false, FEW, false),
			new Regime("hogs-paced", 1, true, FEW, false), new Regime("threads40-1", 1, false, MANY, false),
			new Regime("threads40-8", 8, false, MANY, false), new Regime("onoff-1", 1, false, FEW, true),
			new Regime("onoff-8", 8, false, FEW, true));

	/** Whether sleeping is the reference, rather than the best fixed way. */
	boolean againstPark() {
		return this.hogs > FEW || this.onAndOff;
	}

	/** Returns how long to measure, such that there are some hundred calls or phases. */
	long measureMillis(boolean quick) {
		long millis = this.onAndOff ? 4000 : (this.hogs > FEW || this.paced) ? 1000 : 500;
		return quick ? millis / 2 : millis;
	}

}
