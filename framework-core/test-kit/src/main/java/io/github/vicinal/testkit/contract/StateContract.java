package io.github.vicinal.testkit.contract;

import java.util.List;
import java.util.Map;

import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * A controller that keeps what it is given, and gives out what it keeps, without a copy:
 * bad style, and without consequences over HTTP.
 *
 * @since 0.1.0
 */
@SuppressWarnings("javadoc")
@HttpExchange("/kit/state")
public interface StateContract extends KitContract {

	@PostExchange("/keep-bean")
	BodiesContract.Bean keepBean(@RequestBody BodiesContract.Bean bean);

	@GetExchange("/kept-bean")
	BodiesContract.Bean keptBean();

	@PostExchange("/keep-list")
	List<String> keepList(@RequestBody List<String> values);

	@GetExchange("/kept-list")
	List<String> keptList();

	@PostExchange("/keep-map")
	Map<String, List<String>> keepMap(@RequestBody Map<String, List<String>> values);

	@GetExchange("/kept-map")
	Map<String, List<String>> keptMap();

	@PostExchange(url = "/keep-bytes", contentType = "application/octet-stream")
	byte[] keepBytes(@RequestBody byte[] values);

	@GetExchange("/kept-bytes")
	byte[] keptBytes();

	@PostExchange("/keep-wrapped")
	Wrapped keepWrapped(@RequestBody Wrapped wrapped);

	@GetExchange("/kept-wrapped")
	Wrapped keptWrapped();

	@PostExchange("/spoil-bean")
	String spoilBean(@RequestBody BodiesContract.Bean bean);

	@PostExchange("/spoil-list")
	String spoilList(@RequestBody List<List<String>> values);

	@PostExchange(url = "/spoil-bytes", contentType = "application/octet-stream")
	String spoilBytes(@RequestBody byte[] values);

	@PostExchange("/spoil-wrapped")
	String spoilWrapped(@RequestBody Wrapped wrapped);

	/** A record that looks immutable and is not. */
	record Wrapped(String name, List<String> values, BodiesContract.Bean bean) {

	}

}
