/**
 * Selection of the path that the next call to a peer takes.
 * <p>
 * The {@linkplain io.github.vicinal.selection.PathSelector selector} measures what calls
 * over each path cost, by their size and by the calls in flight, and lets
 * {@link io.github.vicinal.choice} decide when calls move to another path. It knows paths
 * by numbers only.
 */
@NullMarked
package io.github.vicinal.selection;

import org.jspecify.annotations.NullMarked;
