package io.github.vicinal.testkit.contract;

import java.util.List;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * A generic super-interface, as repositories of a house style have it.
 *
 * @param <T> what is stored
 * @param <K> what it is found by
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
public interface GenericContract<T, K> extends KitContract {

	@GetExchange("/by-key/{key}")
	T find(@PathVariable K key);

	@PostExchange("/save")
	T save(@RequestBody T value);

	@PostExchange("/save-all")
	List<T> saveAll(@RequestBody List<T> values);

}
