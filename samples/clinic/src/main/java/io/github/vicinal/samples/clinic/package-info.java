/**
 * A pet clinic of four services, written as such services usually are. Their code does
 * not name Vicinal; the starter is on their class path.
 */
@NullMarked
package io.github.vicinal.samples.clinic;

import org.jspecify.annotations.NullMarked;
