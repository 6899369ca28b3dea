/**
 * Observations at the cost of their meters.
 * <p>
 * An observation asks its handlers, conventions and filters anew for each call, which
 * costs more than a direct call itself. Where its only effect is a timer and a long task
 * timer, which is what Boot configures unless something else is added, the same meters
 * can be recorded without it: a <em>series</em> is the meters that the calls of one kind
 * with one outcome are recorded in. As soon as anything else takes part (another handler,
 * filter, predicate or convention, or a handler method that looks at the current
 * observation), calls are observed in full.
 */
@NullMarked
package io.github.vicinal.boot.observation;

import org.jspecify.annotations.NullMarked;
