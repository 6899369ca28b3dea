package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The bodies that one mode answers all search requests with.
 */
final class Answers {

	/** Number of characters of a body that are shown around the first difference. */
	private static final int EXCERPT_BYTES = 60;

	private final Map<SearchRequest, byte[]> bodies = new EnumMap<>(SearchRequest.class);

	private final Map<SearchRequest, Integer> status = new EnumMap<>(SearchRequest.class);

	static Answers of(HttpClient client, URI gateway, LocalDate day) throws InterruptedException {
		Answers answers = new Answers();
		for (SearchRequest request : SearchRequest.values()) {
			try {
				HttpResponse<byte[]> response = client.send(request.httpRequest(gateway, day),
						HttpResponse.BodyHandlers.ofByteArray());
				answers.bodies.put(request, response.body());
				answers.status.put(request, response.statusCode());
			}
			catch (IOException ex) {
				throw new BenchException("No answer to " + request.requestName(), ex.toString());
			}
		}
		return answers;
	}

	/**
	 * Compares with the answers of another mode.
	 * @param reference the other answers
	 * @return for each request that is answered differently, or not well, its name and
	 * what is wrong
	 */
	List<String> differences(Answers reference) {
		List<String> differences = new ArrayList<>();
		for (SearchRequest request : SearchRequest.values()) {
			byte[] body = this.bodies.getOrDefault(request, new byte[0]);
			byte[] expected = reference.bodies.getOrDefault(request, new byte[0]);
			int answered = this.status.getOrDefault(request, 0);
			int position = Arrays.mismatch(body, expected);
			if (answered != 200) {
				differences.add("%s: status %d instead of 200: %s".formatted(request.requestName(), answered,
						excerpt(body, 0)));
			}
			else if (position >= 0) {
				differences.add("%s: %d bytes instead of %d, at byte %d '%s' instead of '%s'".formatted(
						request.requestName(), body.length, expected.length, position, excerpt(body, position),
						excerpt(expected, position)));
			}
		}
		return differences;
	}

	private static String excerpt(byte[] body, int from) {
		int start = Math.max(0, Math.min(from, body.length) - EXCERPT_BYTES / 2);
		int end = Math.min(body.length, start + EXCERPT_BYTES);
		return new String(body, start, end - start, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
	}

}
