package io.github.vicinal.samples.clinic.visits;

import java.time.LocalDate;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;

/**
 * A visit of a pet.
 *
 * @param owner the number of the owner
 * @param pet the name of the pet
 * @param date the day
 * @param reason why the pet comes
 */
public record Visit(long owner, @NotBlank String pet, @NotNull LocalDate date, @NotBlank String reason) {
}
