/**
 * Choosing between alternatives whose costs are measured while they are in use.
 * <p>
 * One rule decides every switch: {@link io.github.vicinal.choice.SwitchingRule}. It is
 * used for the paths to a peer; ways to wait and moves of services are alternatives of
 * the same kind. Where all alternatives can be simulated on every call, as cache policies
 * can, the {@code CounterfactualRule} of the module {@code vicinal-cache} applies the
 * same inequality to paired outcomes.
 */
@NullMarked
package io.github.vicinal.choice;

import org.jspecify.annotations.NullMarked;
