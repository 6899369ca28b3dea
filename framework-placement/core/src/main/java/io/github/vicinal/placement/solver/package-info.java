/**
 * Solvers, on plain arrays: they know nothing of names, units and files.
 * <p>
 * A {@link io.github.vicinal.placement.solver.Problem} numbers services, hosts, resources
 * and edges. A <em>cut</em> is the weight of edges between hosts. A <em>shift</em> takes
 * one item to another host, a <em>swap</em> exchanges two, an <em>ejection</em> takes an
 * item to a host and one of that host's items on to a third. On a <em>level</em> of the
 * search an <em>item</em> is a service, or a cluster of them, and has one or more
 * <em>units</em>, which stand for its replicas.
 * {@link io.github.vicinal.placement.solver.VicinalSolver} is what the framework
 * recommends by; the others are what schedulers do, and the algorithms of papers, to
 * compare with.
 */
@NullMarked
package io.github.vicinal.placement.solver;

import org.jspecify.annotations.NullMarked;
