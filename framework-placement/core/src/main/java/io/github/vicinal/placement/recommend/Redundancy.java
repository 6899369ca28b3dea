package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.verify.Spread;
import org.jspecify.annotations.Nullable;

/** Names the redundancy that a plan gives up. */
final class Redundancy {

	private Redundancy() {
	}

	/**
	 * Returns what a plan gives up.
	 * @param model services and hosts
	 * @param before where replicas run now, {@code null} if that is unknown
	 * @param after the plan
	 * @param lowered services that cannot keep what they are to keep, and what they keep
	 * @return one sentence for each service that gets fewer hosts or zones than it has,
	 * or has all its replicas in one place
	 */
	static List<String> givenUp(PlacementModel model, @Nullable Plan before, Plan after, Map<String, Spread> lowered) {
		Map<String, String> zones = new HashMap<>();
		model.hosts().forEach((host) -> zones.put(host.name(), host.zone()));
		boolean severalZones = model.hosts().stream().map(Host::zone).distinct().count() > 1;
		Map<String, String> reasons = SeparatedSpread.reasons(model, lowered.keySet());
		WantedSpread wanted = new WantedSpread(model);
		List<String> sentences = new ArrayList<>();
		for (Service service : model.services()) {
			List<String> now = (before != null) ? known(before, service, zones) : List.of();
			List<String> then = known(after, service, zones);
			// Where something runs, that alone is compared.
			int two = Math.min(2, service.replicas());
			Spread usual = now.isEmpty() ? wanted.possible(service, two, two)
					: new Spread(now.size(), zones(now, zones));
			int hostsNow = usual.hosts();
			int zonesNow = usual.zones();
			String reason = reasons.get(service.name());
			if (reason != null) {
				hostsNow = Math.max(hostsNow, wanted.of(service).hosts());
				zonesNow = Math.max(zonesNow, wanted.of(service).zones());
			}
			List<String> lost = new ArrayList<>();
			if (then.size() < hostsNow) {
				lost.add(fewer("host", then.size(), hostsNow));
			}
			if (severalZones && zones(then, zones) < zonesNow) {
				lost.add(fewer("zone", zones(then, zones), zonesNow));
			}
			if (!lost.isEmpty()) {
				sentences.add("'%s' runs %s%s".formatted(service.name(), String.join(" and ", lost),
						(reason != null) ? ", " + reason : ""));
			}
		}
		return sentences;
	}

	private static String fewer(String what, long then, long now) {
		return "%s %d %s%s instead of %d".formatted(what.equals("host") ? "on" : "in", then, what,
				(then == 1) ? "" : "s", now);
	}

	private static List<String> known(Plan plan, Service service, Map<String, String> zones) {
		return plan.on(service.name()).keySet().stream().filter(zones::containsKey).toList();
	}

	private static int zones(List<String> hosts, Map<String, String> zones) {
		return (int) hosts.stream().map(zones::get).distinct().count();
	}

}
