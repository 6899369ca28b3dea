/**
 * Selection of the path that the next call to a peer takes.
 * <p>
 * The {@linkplain io.github.vicinal.selection.PathSelector selector} measures what calls
 * cost by each path, apart from the time that they spend at the server. For each class of
 * call sizes, {@code SelectionRule} decides when calls move to another path. Paths are
 * known by numbers only.
 */
@NullMarked
package io.github.vicinal.selection;

import org.jspecify.annotations.NullMarked;
