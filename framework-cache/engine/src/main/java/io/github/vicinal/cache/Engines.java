package io.github.vicinal.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.github.vicinal.cache.aic.AicPolicy;
import io.github.vicinal.cache.aic.CounterfactualRule;
import io.github.vicinal.cache.aic.PolicySwitch;
import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;

/** Puts a cache together. */
final class Engines {

	private static final double[] SIZES = { 0.5, 1, 2, 4 };

	private Engines() {
	}

	static <K, V> Cache<K, V> create(CacheBuilder<K, V> builder) {
		Counters counters = builder.recordsStatistics() ? new Counters() : null;
		Removals<K, V> removals = new Removals<>(builder.name(), builder.listener(), builder.listenerExecutor(),
				builder.executor(), counters);
		Long given = builder.seed();
		long seed = (given != null) ? given : ThreadLocalRandom.current().nextLong();
		return new DefaultCache<>(builder, store(builder, removals, Long.hashCode(seed)), removals, counters);
	}

	private static <K, V> Store<K, V> store(CacheBuilder<K, V> builder, Removals<K, V> removals, int seed) {
		return switch (builder.policy().engine()) {
			case CAFFEINE -> new CaffeineStore<>(builder, removals);
			case POLICY -> new PolicyStore<>(builder, removals, seed, factory(builder.policy()));
			case SETS -> new SetStore<>(builder, removals, seed);
		};
	}

	private static PolicyFactory factory(CachePolicy policy) {
		PolicyFactory factory = policy.factory();
		return (factory != null) ? factory : AicPolicy::new;
	}

	static CacheReport report(String name, ReplacementPolicy policy, long maximum, long size) {
		if (!(policy instanceof AicPolicy aic)) {
			return new CacheReport(name, name, maximum, size, 0, List.of(), 0, 0, 0, List.of(), List.of());
		}
		CounterfactualRule rule = aic.rule();
		List<CacheReport.Candidate> candidates = new ArrayList<>();
		List<String> names = aic.candidateNames();
		double best = Double.NaN;
		for (int i = 0; i < names.size(); i++) {
			candidates
				.add(new CacheReport.Candidate(names.get(i), i == rule.current(), rule.recentRate(i), rule.rate(i)));
			best = Double.isNaN(best) ? rule.rate(i) : Math.max(best, rule.rate(i));
		}
		double[] curve = aic.missRatioCurve();
		List<CacheReport.SizeEstimate> sizes = new ArrayList<>();
		for (int i = 0; i < curve.length; i++) {
			sizes.add(new CacheReport.SizeEstimate(SIZES[i], curve[i]));
		}
		double regret = Double.isNaN(best) ? 0 : best - rule.realRate();
		return new CacheReport(name, aic.activeName(), maximum, size, rule.calls(), candidates, regret, rule.switches(),
				rule.reverts(), sizes, rule.decisions().stream().map(PolicySwitch::toString).toList());
	}

}
