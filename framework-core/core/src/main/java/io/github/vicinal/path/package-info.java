/**
 * The interface between channels and paths, for authors of paths.
 * <p>
 * A {@linkplain io.github.vicinal.path.CallPath path} is one way to reach a peer for one
 * contract. A {@linkplain io.github.vicinal.path.PathProvider provider} connects paths of
 * one {@linkplain io.github.vicinal.path.PathKind kind}. A call travels as a
 * {@linkplain io.github.vicinal.path.CallFrame frame} and comes back as a
 * {@linkplain io.github.vicinal.path.Reply reply}; what prevented that is a
 * {@linkplain io.github.vicinal.path.PathException path exception}, which says whether
 * the call may have been executed.
 */
@NullMarked
package io.github.vicinal.path;

import org.jspecify.annotations.NullMarked;
