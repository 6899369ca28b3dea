package io.github.vicinal.placement.recommend;

import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON form of a {@link Recommendation}, version {@value #VERSION}. Shares are
 * between 0 and 1; names of other numbers end in their unit. The same input gives the
 * same text, up to the time of the search.
 *
 * @since 0.1.0
 */
public final class RecommendationJson {

	/** Value of the member {@code format}. */
	public static final String FORMAT = "vicinal-placement-recommendation";

	/** Value of the member {@code version}. */
	public static final int VERSION = 1;

	private final JsonMapper mapper = JsonMapper.builder().build();

	/**
	 * Writes a recommendation.
	 * @param recommendation what to write
	 * @return JSON
	 */
	public String write(Recommendation recommendation) {
		return this.mapper.writerWithDefaultPrettyPrinter()
			.writeValueAsString(RecommendationDescriptor.of(recommendation));
	}

}
