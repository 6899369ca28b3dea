package io.github.vicinal.placement.recommend;

import java.util.List;

import io.github.vicinal.placement.model.Prices;
import io.github.vicinal.placement.verify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Expected savings of a plan as capacity, and as money if the model has prices. Money is
 * saved only where capacity is given back: processors by smaller or fewer hosts, hosts by
 * stopping those that run nothing. What shared JVMs save comes on top, and only if they
 * are made.
 *
 * @param cores processors that calls need less, on both ends
 * @param coresError standard error of that
 * @param freedHosts hosts that run nothing any more, less those that run something only
 * then
 * @param currency name of the currency, {@code null} without prices
 * @param coresPerMonth price of the saved processors for 730 hours, {@code null} without
 * prices
 * @param coresErrorPerMonth standard error of that
 * @param hostsPerMonth price of the freed hosts for 730 hours, {@code null} without
 * prices
 * @param mergedCores processors that calls need less if all that may share a JVM does
 * @param mergedMib memory that this saves, in MiB: an estimate
 * @since 0.1.0
 */
public record Savings(double cores, double coresError, int freedHosts, @Nullable String currency,
		@Nullable Double coresPerMonth, @Nullable Double coresErrorPerMonth, @Nullable Double hostsPerMonth,
		double mergedCores, long mergedMib) {

	private static final double MICROS = 1e6;

	private static final double HOURS_PER_MONTH = 730;

	static Savings of(Gain gain, Verdict before, Verdict after, List<Merge> merges, @Nullable Prices prices) {
		double mergedCores = merges.stream().filter(Merge::allowed).mapToDouble(Merge::savedCores).sum();
		long mergedMib = merges.stream().filter(Merge::allowed).mapToLong(Merge::savedMib).sum();
		double cores = gain.cpuMicrosPerSecond() / MICROS;
		double error = gain.cpuErrorMicrosPerSecond() / MICROS;
		int hosts = before.usedHosts() - after.usedHosts();
		if (prices == null) {
			return new Savings(cores, error, hosts, null, null, null, null, mergedCores, mergedMib);
		}
		double core = prices.perCoreHour() * HOURS_PER_MONTH;
		return new Savings(cores, error, hosts, prices.currency(), cores * core, error * core,
				hosts * prices.perHostHour() * HOURS_PER_MONTH, mergedCores, mergedMib);
	}

}
