/**
 * Placement of the services that an application and its neighbours are: what this
 * instance reports, what all report together, and what follows from it.
 */
@NullMarked
package io.github.vicinal.boot.placement;

import org.jspecify.annotations.NullMarked;
