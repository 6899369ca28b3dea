package io.github.vicinal.placement.source;

import java.io.IOException;

/**
 * Delivers the edges of a model from something that observes traffic.
 *
 * @since 0.1.0
 */
public interface TrafficSource {

	/**
	 * Returns the name that stands in the evidence of its edges.
	 * @return a short lower-case name, for instance {@code prometheus}
	 */
	String name();

	/**
	 * Observes. May take as long as the source needs to answer, and may be called from
	 * any thread, one at a time.
	 * @return what was seen, and what was not
	 * @throws IOException if the source cannot be reached; nothing is half-delivered
	 */
	Traffic observe() throws IOException;

}
