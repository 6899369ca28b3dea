/**
 * Codecs: how arguments and results become bytes.
 * <p>
 * A {@link io.github.vicinal.codec.ContractCodec} encodes the calls of one contract for
 * one side. Jackson, with the application's own mapper, is always right because it is
 * what HTTP would have used. The flat format is used only where it is provably
 * equivalent, see {@link io.github.vicinal.codec.Codecs}.
 * <p>
 * The <em>flat format</em> writes values one after another, as their declared types say,
 * without names. The <em>shape</em> of a type says how its values are laid out.
 */
@NullMarked
package io.github.vicinal.codec;

import org.jspecify.annotations.NullMarked;
