/**
 * Observations at the cost of their meters.
 * <p>
 * An observation asks its handlers, conventions and filters anew for each call, which
 * costs more than a direct call itself. By default Boot configures a timer and a long
 * task timer only, and the same meters can be recorded without an observation. A
 * <em>series</em> holds the meters in which calls of one kind with one outcome are
 * recorded. As soon as anything else takes part (another handler, filter, predicate or
 * convention), calls are observed in full.
 * <p>
 * Internal to Vicinal, but for documented interfaces: public types are for other packages
 * of its modules, and may change in any release.
 */
@NullMarked
package io.github.vicinal.boot.observation;

import org.jspecify.annotations.NullMarked;
