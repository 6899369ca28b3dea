package io.github.vicinal.testkit.contract;

import java.io.IOException;
import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Every way in which a controller fails.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/errors")
public interface ErrorsContract extends KitContract {

	@GetExchange("/throw/{how}")
	String fail(@PathVariable String how);

	@GetExchange("/checked")
	String failChecked() throws IOException;

	@GetExchange("/void/{how}")
	void failVoid(@PathVariable String how);

	@GetExchange("/entity/{how}")
	ResponseEntity<List<String>> failEntity(@PathVariable String how);

	@GetExchange("/status")
	ResponseEntity<Problem> answerWith(@RequestParam int status);

	@GetExchange("/lookup/{name}")
	Problem lookup(@PathVariable String name);

	@PostExchange("/validated")
	String validated(@Valid @RequestBody Checked checked);

	@GetExchange("/limited")
	String limited(@RequestParam @Max(10) int value);

	@GetExchange("/limited/strictly")
	String limitedStrictly(@RequestParam @Max(value = 10, groups = Strict.class) int value);

	@GetExchange("/short")
	@Size(max = 3)
	String shortText(@RequestParam String text);

	@GetExchange("/needs")
	String serverNeedsMore(@RequestParam(required = false) @Nullable String value);

	/** The JSON of an exception handler. */
	record Problem(String code, @Nullable String detail) {

	}

	/** A group of constraints. */
	interface Strict {

	}

	/** A body with constraints. */
	record Checked(@NotBlank String name, @Max(10) int count) {

	}

}
