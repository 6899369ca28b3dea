package io.github.vicinal.benchmarks.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.benchmarks.Measurement;
import io.github.vicinal.benchmarks.Report;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;

/**
 * Share of the calls of TrainTicket's AdvancedSearch that caches in each calling service
 * save. The sample prints the calls of its own services with their arguments; they are
 * replayed on caches. A call that is answered by a cache also saves all calls that it
 * would have caused.
 */
public final class CacheTrainTicketMeasurement implements Measurement {

	private static final List<CachePolicy> POLICIES = List.of(CachePolicy.LRU, CachePolicy.LFU, CachePolicy.SLRU,
			CachePolicy.MRU, CachePolicy.TWO_WAY, CachePolicy.PLRU, CachePolicy.TINY_LFU, CachePolicy.AIC);

	private static final List<Integer> SIZES = List.of(4, 8, 16, 32, 64);

	/** A line of the sample's: see its command "calls". */
	private record Call(int depth, String caller, boolean cacheable, String key) {
	}

	@Override
	public String name() {
		return "cache-trainticket";
	}

	@Override
	public String description() {
		return "how many of AdvancedSearch's 292 calls vanish, by policy and size of each caller's cache";
	}

	@Override
	public Report run(Settings settings) throws Exception {
		Path jar = settings.trainTicketJar();
		if (jar == null) {
			throw new UsageException("The jar of the sample is missing; start by benchmarks-jmh/bench");
		}
		int searches = settings.quick() ? 200 : 2_000;
		settings.say("Each calling service has one cache for answers that depend on seed data and arguments alone: "
				+ "stations, routes, trains, prices, configuration, and what is made of these. Seats, orders and searches "
				+ "are never kept. The first search is the one that the user interface proposes; %d more are drawn "
				+ "from the pairs of stations that a line connects.", searches - 1);
		List<List<Call>> trace = trace(jar, searches);
		int first = trace.get(0).size();
		double all = trace.stream().mapToInt(List::size).average().orElse(Double.NaN);
		Report report = new Report("size", "policy", "calls of the first search", "vanish", "calls per search",
				"vanish, %")
			.chart("Calls between services that vanish, in percent of all", "vanish, %", "size", "policy");
		for (int size : SIZES) {
			for (CachePolicy policy : POLICIES) {
				Map<String, Cache<String, Boolean>> caches = new HashMap<>();
				int left = 0;
				int leftOfFirst = 0;
				for (List<Call> search : trace) {
					left += replay(search, (caller) -> caches.computeIfAbsent(caller, (key) -> cache(policy, size)));
					leftOfFirst = (leftOfFirst == 0) ? left : leftOfFirst;
				}
				double each = (double) left / searches;
				report.row(size, policy.name(), first, first - leftOfFirst, each, 100 * (1 - each / all));
			}
		}
		return report;
	}

	private static Cache<String, Boolean> cache(CachePolicy policy, int size) {
		return CacheBuilder.<String, Boolean>named("replay").policy(policy).maximumSize(size).seed(1).build();
	}

	private interface Caches {

		Cache<String, Boolean> of(String caller);

	}

	/** Returns the number of calls that are made nevertheless. */
	private static int replay(List<Call> search, Caches caches) {
		int made = 0;
		for (int i = 0; i < search.size(); i++) {
			Call call = search.get(i);
			if (call.cacheable()) {
				Cache<String, Boolean> cache = caches.of(call.caller());
				if (cache.getIfPresent(call.key()) != null) {
					while (i + 1 < search.size() && search.get(i + 1).depth() > call.depth()) {
						i++;
					}
					continue;
				}
				cache.put(call.key(), true);
			}
			made++;
		}
		return made;
	}

	private static List<List<Call>> trace(Path jar, int searches) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
				jar.toString(), "calls", "--searches=" + searches)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IOException("The sample could not print its calls");
		}
		List<List<Call>> trace = new ArrayList<>();
		List<Call> search = new ArrayList<>();
		for (String line : output.lines().toList()) {
			if (line.isEmpty()) {
				trace.add(List.copyOf(search));
				search.clear();
				continue;
			}
			String[] words = line.split("\t", 4);
			search.add(new Call(Integer.parseInt(words[0]), words[1], Boolean.parseBoolean(words[2]), words[3]));
		}
		return trace;
	}

}
