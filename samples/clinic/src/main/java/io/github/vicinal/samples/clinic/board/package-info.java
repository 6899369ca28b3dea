/** The board in the waiting room: WebFlux, with a {@code WebClient}. */
@NullMarked
package io.github.vicinal.samples.clinic.board;

import org.jspecify.annotations.NullMarked;
