package io.github.vicinal.placement.recommend;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.verify.Spread;

/**
 * The hosts and zones that services use at least if any of their replicas moves: as many
 * as now, and two if there are two replicas, as far as rules and capacities let them use
 * so many. A separated service that runs on one host or in one zone need not gain
 * another.
 */
final class WantedSpread {

	static final Spread NOTHING = new Spread(1, 1);

	private final PlacementModel model;

	/** By name of the host. */
	private final Map<String, String> zones;

	private final int numberOfZones;

	private final Set<String> separated = new HashSet<>();

	WantedSpread(PlacementModel model) {
		this.model = model;
		this.zones = model.zones();
		this.numberOfZones = new HashSet<>(this.zones.values()).size();
		for (Separation separation : model.separations()) {
			this.separated.addAll((separation.services().size() > 1) ? separation.services() : Set.of());
		}
	}

	/**
	 * Returns whether a separation names a service together with others.
	 */
	boolean separated(Service service) {
		return this.separated.contains(service.name());
	}

	/**
	 * Returns the fewest hosts and zones of a service of the model.
	 */
	Spread of(Service service) {
		if (service.replicas() < 2 || this.model.mayConcentrate().contains(service.name())) {
			return NOTHING;
		}
		Plan current = this.model.current();
		Set<String> now = (current != null) ? current.on(service.name()).keySet() : Set.of();
		Set<String> usedZones = new HashSet<>();
		int used = 0;
		for (String host : now) {
			String zone = this.zones.get(host);
			if (zone != null) {
				used++;
				usedZones.add(zone);
			}
		}
		int leastHosts = (separated(service) && now.size() == 1) ? 1 : 2;
		int leastZones = (separated(service) && usedZones.size() == 1 && used == now.size()) ? 1 : 2;
		int hosts = Math.min(service.replicas(), Math.max(leastHosts, used));
		int zones = Math.min(service.replicas(), Math.max(leastZones, usedZones.size()));
		return possible(service, hosts, zones);
	}

	/**
	 * Returns how many hosts and zones a service may use, counted no further than asked.
	 */
	Spread possible(Service service, int mostHosts, int mostZones) {
		Set<String> possible = new HashSet<>();
		int hosts = 0;
		int zones = Math.min(mostZones, this.numberOfZones);
		for (Host host : this.model.hosts()) {
			if (hosts >= mostHosts && possible.size() >= zones) {
				break;
			}
			if (service.mayRunOn(host) && CompiledModel.fits(service, host)) {
				hosts++;
				possible.add(host.zone());
			}
		}
		return new Spread(Math.min(mostHosts, hosts), Math.min(mostZones, possible.size()));
	}

}
