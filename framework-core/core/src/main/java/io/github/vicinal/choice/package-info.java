/**
 * Choosing between alternatives whose costs are measured while they are in use.
 * <p>
 * One rule decides every switch: {@link io.github.vicinal.choice.SwitchingRule}. It is
 * used for the paths to a peer; ways to wait, cache policies and moves of services are
 * alternatives of the same kind.
 */
@NullMarked
package io.github.vicinal.choice;

import org.jspecify.annotations.NullMarked;
