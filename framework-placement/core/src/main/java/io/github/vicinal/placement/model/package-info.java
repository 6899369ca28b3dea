/**
 * Model of a placement: services, hosts, the traffic between services, rules.
 * <p>
 * A <em>service</em> has replicas that each need the same amounts of <em>resources</em>.
 * An <em>edge</em> is the traffic between two services, as several quantities that are
 * never mixed; {@link io.github.vicinal.placement.model.EdgeWeight} names the one that an
 * objective counts. A <em>plan</em> says the number of replicas of each service on each
 * host. <em>Routing</em> says how calls choose among a service's replicas; no figure
 * about replicas means anything without it. <em>Doubts</em> are what is known to be
 * missing in the evidence.
 * <p>
 * All types are immutable. A {@link io.github.vicinal.placement.model.PlacementModel}
 * that exists is consistent: its constructor refuses unknown names, amounts that are no
 * amounts, and constraints that contradict each other.
 */
@NullMarked
package io.github.vicinal.placement.model;

import org.jspecify.annotations.NullMarked;
