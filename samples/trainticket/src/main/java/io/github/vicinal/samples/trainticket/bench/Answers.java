package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
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
	 * @return names of the requests that are answered differently, or not well
	 */
	List<String> differences(Answers reference) {
		List<String> differences = new ArrayList<>();
		for (SearchRequest request : SearchRequest.values()) {
			boolean equal = Arrays.equals(this.bodies.get(request), reference.bodies.get(request));
			if (!equal || !Integer.valueOf(200).equals(this.status.get(request))) {
				differences.add(request.requestName());
			}
		}
		return differences;
	}

}
