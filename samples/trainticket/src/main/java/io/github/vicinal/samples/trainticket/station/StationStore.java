package io.github.vicinal.samples.trainticket.station;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The stations, by id and by name.
 */
class StationStore {

	private final Map<String, Station> byId;

	private final Map<String, Station> byName;

	StationStore(List<Station> stations) {
		this.byId = stations.stream().collect(Collectors.toUnmodifiableMap(Station::id, Function.identity()));
		this.byName = stations.stream().collect(Collectors.toUnmodifiableMap(Station::name, Function.identity()));
	}

	Optional<Station> byId(String id) {
		return Optional.ofNullable(this.byId.get(id));
	}

	Optional<Station> byName(String name) {
		return Optional.ofNullable(this.byName.get(name));
	}

	/**
	 * The 13 stations of the original.
	 * @return a store with the seed data
	 */
	static StationStore seeded() {
		return new StationStore(List.of(new Station("shanghai", "Shang Hai", 10),
				new Station("shanghaihongqiao", "Shang Hai Hong Qiao", 10), new Station("taiyuan", "Tai Yuan", 5),
				new Station("beijing", "Bei Jing", 10), new Station("nanjing", "Nan Jing", 8),
				new Station("shijiazhuang", "Shi Jia Zhuang", 8), new Station("xuzhou", "Xu Zhou", 7),
				new Station("jinan", "Ji Nan", 5), new Station("hangzhou", "Hang Zhou", 9),
				new Station("jiaxingnan", "Jia Xing Nan", 2), new Station("zhenjiang", "Zhen Jiang", 2),
				new Station("wuxi", "Wu Xi", 3), new Station("suzhou", "Su Zhou", 3)));
	}

}
