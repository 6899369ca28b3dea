package io.github.vicinal.placement.solver;

/**
 * A solver that proves: its solutions carry a lower bound of the objective. Found with
 * {@link java.util.ServiceLoader}; the module {@code vicinal-placement-exact} has one.
 *
 * @since 0.1.0
 */
public interface ExactSolver extends PlacementSolver {

}
