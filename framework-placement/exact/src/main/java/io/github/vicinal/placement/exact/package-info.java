/**
 * Proofs of optimality for small placements, by the CP-SAT solver of OR-Tools, which is
 * native code. Meant for tests, for benchmarks, and for certificates of up to about 30
 * services; beyond that it finds worse plans than the framework's own solver.
 */
@NullMarked
package io.github.vicinal.placement.exact;

import org.jspecify.annotations.NullMarked;
