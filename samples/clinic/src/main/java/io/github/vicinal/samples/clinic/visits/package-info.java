/** Visits of pets; asks the owners' service. */
@NullMarked
package io.github.vicinal.samples.clinic.visits;

import org.jspecify.annotations.NullMarked;
