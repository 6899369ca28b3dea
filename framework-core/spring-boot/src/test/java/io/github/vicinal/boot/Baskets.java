package io.github.vicinal.boot;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

@AffinityChannel
@HttpExchange("/baskets")
public interface Baskets {

	@GetExchange("/{id}")
	Basket get(@PathVariable long id);

	@GetExchange
	List<Basket> find(@RequestParam String owner, @RequestParam(required = false) Integer limit);

	@PostExchange
	ResponseEntity<Basket> save(@RequestBody Basket basket);

	@PostExchange("/fail/{how}")
	Basket fail(@PathVariable String how);

	record Basket(long id, String owner, List<Item> items) {
	}

	record Item(String name, int count) {
	}

}
