package io.github.vicinal.testkit.contract;

import java.util.List;
import java.util.Map;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Many calls, large bodies, and calls within calls.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/volume")
public interface VolumeContract extends KitContract {

	@PostExchange("/sum")
	Sum sum(@RequestBody Load load);

	@PostExchange("/reverse")
	Load reverse(@RequestBody Load load);

	@PostExchange(url = "/bytes", contentType = MediaType.APPLICATION_OCTET_STREAM_VALUE)
	byte[] flip(@RequestBody byte[] bytes);

	@GetExchange("/make")
	byte[] make(@RequestParam int size);

	@PostExchange("/table")
	List<Map<String, String>> table(@RequestParam int rows);

	@GetExchange("/down")
	long countDown(@RequestParam int depth);

	@GetExchange("/across")
	String across(@RequestParam int depth);

	/** Text with the number of the call that sent it. */
	record Load(long number, String text) {

	}

	/** The checksum of a {@link Load}. */
	record Sum(long number, long checksum, int length) {

	}

}
