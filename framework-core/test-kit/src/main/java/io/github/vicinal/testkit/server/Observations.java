package io.github.vicinal.testkit.server;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;

/**
 * Notes down finished HTTP observations: name and low-cardinality key values, which are
 * what dashboards and alerts stand on.
 *
 * @since 0.1.0
 */
public class Observations implements ObservationHandler<Observation.Context> {

	private final ConcurrentLinkedQueue<String> stopped = new ConcurrentLinkedQueue<>();

	@Override
	public boolean supportsContext(Observation.Context context) {
		return true;
	}

	@Override
	public void onStop(Observation.Context context) {
		String name = context.getName();
		if ("http.client.requests".equals(name) || "http.server.requests".equals(name)) {
			TreeMap<String, String> keyValues = new TreeMap<>();
			for (KeyValue keyValue : context.getLowCardinalityKeyValues()) {
				keyValues.put(keyValue.getKey(), keyValue.getValue());
			}
			this.stopped.add(name + keyValues);
		}
	}

	/**
	 * Return what was observed.
	 * @return a line for each finished observation, in order
	 */
	public List<String> lines() {
		return new ArrayList<>(this.stopped);
	}

	/**
	 * Forget what was observed.
	 */
	public void clear() {
		this.stopped.clear();
	}

}
