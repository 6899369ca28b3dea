package io.github.vicinal.boot.feign;

import org.springframework.web.bind.annotation.GetMapping;

/** What clients of several interfaces have in common. */
interface CountedShelf {

	@GetMapping("/count")
	int count();

}
