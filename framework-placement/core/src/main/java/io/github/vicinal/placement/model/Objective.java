package io.github.vicinal.placement.model;

/**
 * Objective of a plan, which is minimised:
 * {@code communication * Ccost + imbalance * Ucost + moves * moved + hosts * used + memory
 * * Mcost}, and of each {@link Preference} its weight times the part that is not met; the
 * weights divided by their sum.
 * <ul>
 * <li>Ccost: what the traffic costs, as a part of what it would cost if all of it went
 * between hosts.</li>
 * <li>Ucost: variance of the utilisation of hosts, summed over resources.</li>
 * <li>moved: the part of the replicas that run elsewhere than now.</li>
 * <li>used: the part of the hosts that run anything.</li>
 * <li>Mcost: the memory that replicas need, less what shared JVMs save, as a part of the
 * former. It and its weight are left out where no services may share a JVM.</li>
 * </ul>
 *
 * @param weight the quantity of an edge that counts
 * @param routing how calls choose among replicas
 * @param communication weight of Ccost
 * @param imbalance weight of Ucost
 * @param moves weight of moved replicas
 * @param hosts weight of used hosts
 * @param memory weight of memory, where services may share a JVM
 * @since 0.1.0
 */
public record Objective(EdgeWeight weight, Routing routing, double communication, double imbalance, double moves,
		double hosts, double memory) {

	/** Default of the weight of memory: a tenth of that of traffic. */
	public static final double DEFAULT_MEMORY = 0.1;

	public Objective {
		double sum = communication + imbalance + moves + hosts;
		if (!(communication >= 0 && imbalance >= 0 && moves >= 0 && hosts >= 0 && sum > 0 && memory >= 0
				&& sum + memory < Double.POSITIVE_INFINITY)) {
			throw new InvalidModelException(
					"The objective's weights are %s, %s, %s, %s and %s for memory; they and their sum must be finite, at least 0, and one of the first four positive"
						.formatted(communication, imbalance, moves, hosts, memory));
		}
	}

	/**
	 * Creates an objective with the default weight of memory.
	 * @param weight the quantity of an edge that counts
	 * @param routing how calls choose among replicas
	 * @param communication weight of Ccost
	 * @param imbalance weight of Ucost
	 * @param moves weight of moved replicas
	 * @param hosts weight of used hosts
	 */
	public Objective(EdgeWeight weight, Routing routing, double communication, double imbalance, double moves,
			double hosts) {
		this(weight, routing, communication, imbalance, moves, hosts, DEFAULT_MEMORY);
	}

	/**
	 * Returns the objective that counts traffic alone.
	 * @param weight the quantity of an edge that counts
	 * @param routing how calls choose among replicas
	 * @return the objective
	 */
	public static Objective traffic(EdgeWeight weight, Routing routing) {
		return new Objective(weight, routing, 1, 0, 0, 0);
	}

	/**
	 * Returns this objective with other weights of all but memory.
	 * @param communication weight of Ccost
	 * @param imbalance weight of Ucost
	 * @param moves weight of moved replicas
	 * @param hosts weight of used hosts
	 * @return the objective
	 */
	public Objective weighted(double communication, double imbalance, double moves, double hosts) {
		return new Objective(this.weight, this.routing, communication, imbalance, moves, hosts, this.memory);
	}

	/**
	 * Returns this objective for another quantity.
	 * @param weight the quantity of an edge that counts
	 * @return the objective
	 */
	public Objective with(EdgeWeight weight) {
		return new Objective(weight, this.routing, this.communication, this.imbalance, this.moves, this.hosts,
				this.memory);
	}

	/**
	 * Returns this objective for another routing.
	 * @param routing how calls choose among replicas
	 * @return the objective
	 */
	public Objective with(Routing routing) {
		return new Objective(this.weight, routing, this.communication, this.imbalance, this.moves, this.hosts,
				this.memory);
	}

}
