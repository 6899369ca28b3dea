/**
 * Proofs of optimality for small placements, by the CP-SAT solver of OR-Tools, which is
 * native code. Meant for tests, for benchmarks, and for whoever wants a certificate for
 * up to about 30 services; it finds worse plans than the framework's own solver above
 * that.
 */
@NullMarked
package io.github.vicinal.placement.exact;

import org.jspecify.annotations.NullMarked;
