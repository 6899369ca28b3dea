package io.github.vicinal.samples.trainticket.train;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The train types, by id.
 */
class TrainStore {

	private final Map<String, TrainType> byId;

	TrainStore(Stream<TrainType> types) {
		this.byId = types.collect(Collectors.toUnmodifiableMap(TrainType::id, Function.identity()));
	}

	Optional<TrainType> byId(String id) {
		return Optional.ofNullable(this.byId.get(id));
	}

	/**
	 * The 6 train types of the original, where no train ever runs out of seats.
	 * @return a store with the seed data
	 */
	static TrainStore seeded() {
		return new TrainStore(Stream.of(type("GaoTieOne", 250), type("GaoTieTwo", 200), type("DongCheOne", 180),
				type("ZhiDa", 120), type("TeKuai", 120), type("KuaiSu", 90)));
	}

	private static TrainType type(String id, int averageSpeed) {
		return new TrainType(id, Integer.MAX_VALUE, Integer.MAX_VALUE, averageSpeed);
	}

}
