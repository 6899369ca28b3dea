package io.github.vicinal.testkit.contract;

import java.util.List;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Interfaces as people write them: overloads, default methods, generic and overridden
 * ones.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/shapes")
public interface ShapesContract extends GenericContract<ShapesContract.Thing, Long> {

	@GetExchange("/overload/none")
	String overloaded();

	@GetExchange("/overload/text/{value}")
	String overloaded(@PathVariable String value);

	@GetExchange("/overload/number/{value}")
	String overloaded(@PathVariable long value);

	@PostExchange("/overload/things")
	String overloaded(@RequestBody List<Thing> values);

	@HttpExchange(method = "GET", url = "/same", headers = "X-Kit-By=name")
	String sameByName(@RequestParam String value);

	@HttpExchange(method = "GET", url = "/same", headers = "X-Kit-By=size")
	String sameBySize(@RequestParam int value);

	@PostExchange("/same")
	String samePosted(@RequestBody Thing thing);

	@Override
	@PostExchange("/save")
	Thing save(@RequestBody Thing value);

	default String twice(String value) {
		return overloaded(value) + overloaded(value);
	}

	default Thing saveNamed(String name) {
		return save(new Thing(0, name));
	}

	@GetExchange("/count")
	int pings();

	@GetExchange("/across")
	String across(@RequestParam int depth);

	/** A stored thing. */
	record Thing(long id, String name) {

	}

}
