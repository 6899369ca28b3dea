package io.github.vicinal.samples.clinic.visits;

import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** Books visits of pets whose owners are known. */
@RestController
@RequestMapping("/visits")
class VisitsController {

	private final List<Visit> visits = new CopyOnWriteArrayList<>(
			List.of(new Visit(1, "Leo", LocalDate.of(2030, 5, 4), "rabies shot"),
					new Visit(2, "Basil", LocalDate.of(2030, 5, 4), "teeth")));

	private final RestClient owners;

	VisitsController(RestClient owners) {
		this.owners = owners;
	}

	@GetMapping("/{owner}")
	List<Visit> of(@PathVariable long owner) {
		return this.visits.stream().filter((visit) -> visit.owner() == owner).toList();
	}

	@PostMapping
	@ResponseStatus(HttpStatus.CREATED)
	Visit book(@Valid @RequestBody Visit visit) {
		Owner owner = this.owners.get().uri("/owners/{id}", visit.owner()).retrieve().body(Owner.class);
		if (owner == null || !owner.pets().contains(visit.pet())) {
			throw new UnknownPetException(visit.pet());
		}
		this.visits.add(visit);
		return visit;
	}

	@ExceptionHandler
	ProblemDetail unknown(UnknownPetException problem) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, problem.getMessage());
	}

	/** Passes the answer of the service of owners on to the caller. */
	@ExceptionHandler
	ProblemDetail refused(HttpClientErrorException problem) {
		ProblemDetail theirs = problem.getResponseBodyAs(ProblemDetail.class);
		return (theirs != null) ? theirs : ProblemDetail.forStatus(problem.getStatusCode());
	}

	/**
	 * Facts about an owner that this service needs.
	 *
	 * @param name the name
	 * @param pets the names of the pets
	 */
	private record Owner(@Nullable String name, List<String> pets) {
	}

	/** A pet that its owner does not have. */
	static final class UnknownPetException extends RuntimeException {

		private static final long serialVersionUID = 1;

		UnknownPetException(String pet) {
			super("the owner has no pet " + pet);
		}

	}

}
