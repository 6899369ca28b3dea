package io.github.vicinal.samples.trainticket.station;

import java.util.List;

import io.github.vicinal.channel.AffinityChannel;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/**
 * Contract of the service {@code station}.
 */
@AffinityChannel
@HttpExchange("/api/v1/stationservice")
public interface StationApi {

	/**
	 * Finds the id of a station.
	 * @param name the name as people write it, such as "Shang Hai"
	 * @return the id
	 */
	@GetExchange("/stations/id/{name}")
	StationId id(@PathVariable String name);

	/**
	 * Finds the names of several stations.
	 * @param ids the ids
	 * @return the names, in the order of the ids
	 */
	@PostExchange("/stations/namelist")
	List<String> names(@RequestBody List<String> ids);

}
