package io.github.vicinal.samples.clinic.owners;

import java.util.List;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;

/**
 * An owner of pets.
 *
 * @param id the number, 0 for a new one
 * @param name the name
 * @param pets the names of the pets
 */
public record Owner(long id, @NotBlank String name, @NotNull List<String> pets) {
}
