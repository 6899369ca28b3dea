package io.github.vicinal.samples.trainticket.bench;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.github.vicinal.samples.trainticket.launch.UsageException;

/**
 * The requests that the driver sends to the gateway.
 */
enum SearchRequest {

	/** AdvancedSearch as the user interface proposes it: 292 internal calls. */
	ADVANCED("travelplanservice/travelPlan/cheapest", "Nan Jing", "Shang Hai"),
	/** AdvancedSearch, quickest trips: 292 internal calls. */
	ADVANCED_QUICKEST("travelplanservice/travelPlan/quickest", "Nan Jing", "Shang Hai"),
	/** AdvancedSearch, fewest stops: 301 internal calls. */
	ADVANCED_STOPS("travelplanservice/travelPlan/minStation", "Nan Jing", "Shang Hai"),
	/** BasicSearch among high-speed trains: 122 internal calls. */
	BASIC("travelservice/trips/left", "Nan Jing", "Shang Hai"),
	/** BasicSearch as the user interface proposes it: 48 internal calls. */
	BASIC_DEFAULT("travelservice/trips/left", "Shang Hai", "Su Zhou"),
	/** BasicSearch among all other trains: 51 internal calls. */
	BASIC_OTHER("travel2service/trips/left", "Nan Jing", "Shang Hai");

	static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final String path;

	private final String from;

	private final String to;

	SearchRequest(String path, String from, String to) {
		this.path = path;
		this.from = from;
		this.to = to;
	}

	String requestName() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	HttpRequest httpRequest(URI gateway, LocalDate day) {
		String body = """
				{"startingPlace":"%s","endPlace":"%s","departureTime":"%s"}""".formatted(this.from, this.to, day);
		return HttpRequest.newBuilder(gateway.resolve("/api/v1/" + this.path))
			.header("Content-Type", "application/json")
			.timeout(TIMEOUT)
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
	}

	static SearchRequest named(String name) {
		List<String> names = Arrays.stream(values()).map(SearchRequest::requestName).toList();
		int index = names.indexOf(name);
		if (index < 0) {
			throw new UsageException("Unknown request '" + name + "'",
					"a request is one of " + String.join(", ", names), "correct --requests");
		}
		return values()[index];
	}

}
