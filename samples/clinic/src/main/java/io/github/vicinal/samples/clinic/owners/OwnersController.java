package io.github.vicinal.samples.clinic.owners;

import java.net.URI;
import java.security.Principal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Reads and writes owners. */
@RestController
@RequestMapping("/owners")
class OwnersController {

	private final Map<Long, Owner> owners = new ConcurrentSkipListMap<>(
			Map.of(1L, new Owner(1, "George Franklin", List.of("Leo")), 2L,
					new Owner(2, "Betty Davis", List.of("Basil", "Jewel"))));

	private final AtomicLong numbers = new AtomicLong(2);

	@GetMapping
	Collection<Owner> find(@RequestParam(defaultValue = "") String name) {
		return this.owners.values().stream().filter((owner) -> owner.name().contains(name)).toList();
	}

	@GetMapping("/{id}")
	Owner get(@PathVariable long id) {
		Owner owner = this.owners.get(id);
		if (owner == null) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "there is no owner " + id);
		}
		return owner;
	}

	@PostMapping
	ResponseEntity<Owner> add(@Valid @RequestBody Owner owner, Principal principal) {
		Owner added = new Owner(this.numbers.incrementAndGet(), owner.name(), owner.pets());
		this.owners.put(added.id(), added);
		URI location = ServletUriComponentsBuilder.fromCurrentRequest().path("/{id}").build(added.id());
		return ResponseEntity.created(location).header("X-Added-By", principal.getName()).body(added);
	}

}
