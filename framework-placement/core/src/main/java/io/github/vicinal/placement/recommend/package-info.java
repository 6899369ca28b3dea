/**
 * From a model to a recommendation that people can check: what to run where, what it
 * gains, with which error, and which moves lead there.
 */
@NullMarked
package io.github.vicinal.placement.recommend;

import org.jspecify.annotations.NullMarked;
