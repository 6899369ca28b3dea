package io.github.vicinal.benchmarks.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.RawLanes;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathServer;
import org.HdrHistogram.Histogram;

/**
 * Kills servers and clients at random moments, some during the handshake, and looks at
 * what the other side makes of it.
 */
public final class CrashMeasurement implements Measurement {

	private static final int KILLS = 1000;

	private static final int QUICK_KILLS = 30;

	private static final int CALLERS = 6;

	private static final long MAX_HANG_MILLIS = 50;

	private static final long PATIENCE_MILLIS = 20_000;

	private static final int SERVER_NANOS = 60_000_000;

	private static final int CLIENT_START_NANOS = 400_000_000;

	private static final int CLIENT_NANOS = 30_000_000;

	private static final long ORPHAN_MILLIS = TimeUnit.SECONDS.toMillis(62);

	private static final int PROGRESS = 25;

	@Override
	public String name() {
		return "shm-crash";
	}

	@Override
	public String description() {
		return "kill -9 of either side of shared memory under load, at random moments; --soak: nobody is killed";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-crash");
		try {
			String soak = settings.options().get("soak");
			if (soak != null) {
				return new Soak(directory, settings).run(Double.parseDouble(soak));
			}
			String kills = settings.options().get("kills");
			int count = (kills != null) ? Integer.parseInt(kills) : settings.quick() ? QUICK_KILLS : KILLS;
			return new Run(directory, settings).run(count);
		}
		finally {
			try (var files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.deleteIfExists(file);
				}
			}
		}
	}

	/** Observations of one kind of victim. */
	private static final class Tally {

		private final Histogram releases = new Histogram(1, TimeUnit.SECONDS.toNanos(100), 3);

		private int kills;

		private int duringHandshake;

		private long calls;

		private void released(long nanos) {
			this.kills++;
			this.releases.recordValue(Math.max(1, nanos));
		}

		private double millis(double percentile) {
			return this.releases.getValueAtPercentile(percentile) / 1e6;
		}

	}

	/** One run. */
	private static final class Run {

		private final Path directory;

		private final Settings settings;

		private final Random random = new Random(1);

		private final Tally servers = new Tally();

		private final Tally clients = new Tally();

		private final List<String> problems = new ArrayList<>();

		private final Numbered.Answers answers = new Numbered.Answers();

		private int lanesLost;

		private long firstCaller = 1;

		Run(Path directory, Settings settings) {
			this.directory = directory;
			this.settings = settings;
		}

		private ShmPathServer serve() {
			return RawLanes.serve(this.directory, PeerIdentity.create(PeerIdentity.NO_HOST), ShmOptions.defaults(),
					false, this.answers);
		}

		Report run(int count) throws Exception {
			Footprint before;
			Footprint after;
			String serverId = PeerIdentity.create(PeerIdentity.NO_HOST).instanceId();
			try (ShmPathServer server = RawLanes.serve(this.directory, new PeerIdentity(serverId, PeerIdentity.NO_HOST),
					ShmOptions.defaults(), false, this.answers)) {
				this.settings.say("Warming up ...");
				killServer(new Tally());
				killClient(server, serverId, new Tally());
				before = settled(new Footprint(Integer.MAX_VALUE, 0, 0));
				for (int kill = 1; kill <= count; kill++) {
					if (this.random.nextBoolean()) {
						killServer(this.servers);
					}
					else {
						killClient(server, serverId, this.clients);
					}
					if (kill % PROGRESS == 0 || kill == count) {
						this.settings.say("%d of %d kills, released after %.1f ms at most, %d problems", kill, count,
								Math.max(this.servers.millis(100), this.clients.millis(100)), this.problems.size());
					}
				}
				after = settled(before);
			}
			this.problems.forEach((problem) -> this.settings.say("PROBLEM: %s", problem));
			return report(before, after, filesLeft());
		}

		/** The next call of a server starts when the one before is gone. */
		private void killServer(Tally tally) throws Exception {
			try (Victim victim = Victim.server(this.directory)) {
				victim.awaitReady();
				long start = System.nanoTime();
				int delay = this.random.nextInt(SERVER_NANOS);
				long[] killedAt = new long[1];
				Thread killer = new Thread(() -> {
					park(start + delay);
					killedAt[0] = System.nanoTime();
					victim.kill();
				}, "killer");
				killer.setPriority(Thread.MAX_PRIORITY);
				killer.start();
				long releasedAt = callUntilTheEnd(victim, tally);
				killer.join();
				tally.released(releasedAt - killedAt[0]);
				this.problems.addAll(victim.complaints());
			}
		}

		private long callUntilTheEnd(Victim victim, Tally tally) throws InterruptedException {
			try (RawLanes.Client client = RawLanes.connect(this.directory, victim.instanceId(), ShmOptions.defaults(),
					false)) {
				Load load = new Load(client, CALLERS, this.firstCaller);
				long releasedAt = load.join(PATIENCE_MILLIS);
				this.firstCaller += CALLERS;
				tally.calls += load.calls();
				this.problems.addAll(load.problems());
				this.lanesLost += ShmOptions.defaults().lanes() - client.lanes().freeLanes()
						- client.lanes().quarantinedLanes();
				return releasedAt;
			}
			catch (IOException ex) {
				tally.duringHandshake++;
				return System.nanoTime();
			}
		}

		private void killClient(ShmPathServer server, String serverId, Tally tally) throws Exception {
			try (Victim victim = Victim.client(this.directory, serverId, this.firstCaller)) {
				this.firstCaller += Victim.CALLERS;
				victim.awaitReady();
				long callsBefore = this.answers.calls();
				victim.go();
				if (this.random.nextInt(3) == 0) {
					park(System.nanoTime() + this.random.nextInt(CLIENT_START_NANOS));
				}
				else {
					victim.awaitCalls();
					park(System.nanoTime() + this.random.nextInt(CLIENT_NANOS));
				}
				tally.duringHandshake += (this.answers.calls() == callsBefore) ? 1 : 0;
				long killedAt = System.nanoTime();
				victim.kill();
				while (server.metrics().open().sum() > 0
						&& System.nanoTime() - killedAt < PATIENCE_MILLIS * 1_000_000) {
					LockSupport.parkNanos(100_000);
				}
				tally.released(System.nanoTime() - killedAt);
				tally.calls += this.answers.calls() - callsBefore;
				this.problems.addAll(victim.complaints());
				this.answers.forgetCallers();
			}
		}

		private static void park(long until) {
			for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
		}

		/**
		 * Checks until no more resources are held than before, or until a leak is
		 * certain.
		 */
		private static Footprint settled(Footprint before) throws IOException, InterruptedException {
			long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
			Footprint now;
			do {
				System.gc();
				TimeUnit.MILLISECONDS.sleep(200);
				now = Footprint.own();
			}
			while ((now.descriptors() > before.descriptors() || now.mappings() > before.mappings())
					&& System.nanoTime() - end < 0);
			return now;
		}

		/** The next server removes named files of dead processes. */
		private int filesLeft() throws IOException, InterruptedException {
			serve().close();
			int left = list().size();
			if (left > 0) {
				this.settings.say("%d names are left; waiting until they are old enough to be removed ...", left);
				TimeUnit.MILLISECONDS.sleep(ORPHAN_MILLIS);
				serve().close();
			}
			return list().size();
		}

		private List<Path> list() throws IOException {
			try (var files = Files.list(this.directory)) {
				return files.filter((file) -> !file.endsWith("host-token")).toList();
			}
		}

		private Report report(Footprint before, Footprint after, int filesLeft) {
			Report report = new Report("killed", "kills", "in handshake", "calls", "released p50 ms", "p99 ms",
					"max ms")
				.chart("Time from kill -9 to the release of the other side, worst of all, in ms", "max ms", "killed");
			row(report, "server", this.servers);
			row(report, "client", this.clients);
			report.bar("server killed: longest until all callers were released, ms", this.servers.millis(100),
					MAX_HANG_MILLIS);
			report.bar("client killed: longest until the server had let go, ms", this.clients.millis(100),
					MAX_HANG_MILLIS);
			report.bar("corrupt, mixed-up or repeated requests",
					(double) this.answers.corrupt() + this.answers.duplicated(), 0);
			report.bar("wrong answers, wrong errors, complaints of victims", this.problems.size(), 0);
			report.bar("lanes lost", this.lanesLost, 0);
			report.bar("file descriptors left", after.descriptors() - before.descriptors(), 0);
			report.bar("mapped segments and arenas left", after.mappings() - before.mappings(), 0);
			report.bar("files left in the rendezvous directory", filesLeft, 0);
			return report;
		}

		private static void row(Report report, String killed, Tally tally) {
			report.row(killed, tally.kills, tally.duringHandshake, tally.calls, tally.millis(50), tally.millis(99),
					tally.millis(100));
		}

	}

}
