/** Owners of pets, behind tokens. */
@NullMarked
package io.github.vicinal.samples.clinic.owners;

import org.jspecify.annotations.NullMarked;
