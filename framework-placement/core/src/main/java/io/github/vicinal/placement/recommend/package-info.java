/**
 * From a model to a recommendation that people can check: what to run where, what it
 * gains, with which error, and which moves lead there.
 * <p>
 * A <em>verdict</em> needs <em>evidence</em>: measured traffic, the demand of what moves,
 * and the place of every replica. Without it, the action is <em>undecided</em>. What is
 * <em>assumed</em> stands beside the verdict. A plan <em>gives up</em> redundancy if a
 * service gets fewer hosts or zones than it uses. Moves are <em>worthwhile</em> up to the
 * one after which the saving exceeds the loss by most.
 */
@NullMarked
package io.github.vicinal.placement.recommend;

import org.jspecify.annotations.NullMarked;
