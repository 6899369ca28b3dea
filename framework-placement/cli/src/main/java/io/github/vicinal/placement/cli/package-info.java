/** Placement on the command line. */
@NullMarked
package io.github.vicinal.placement.cli;

import org.jspecify.annotations.NullMarked;
