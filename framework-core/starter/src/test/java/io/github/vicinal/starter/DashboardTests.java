package io.github.vicinal.starter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.boot.topic.TopicFactory;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Checks each expression of the dashboard {@code docs/dashboards/vicinal.json} against
 * the meters that two applications publish for Prometheus.
 */
@Timeout(120)
class DashboardTests {

	private static final Path DASHBOARD = Path.of("..", "..", "docs", "dashboards", "vicinal.json");

	/** Labels that Prometheus adds when it scrapes. */
	private static final Set<String> SCRAPE_LABELS = Set.of("instance", "job");

	private static final Set<String> FUNCTIONS = Set.of("sum", "max", "rate", "histogram_quantile");

	private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

	private static final Pattern SELECTOR = Pattern
		.compile("([a-z_]{2,})(\\{[^}]*\\})?(\\[\\$__rate_interval\\])?(\\()?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!=|=)\"([^\"]*)\"");

	private static final Pattern SAMPLE = Pattern.compile("^([a-zA-Z_:][\\w:]*)(?:\\{(.*)\\})? \\S+$");

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

	@Test
	void eachExpressionFindsItsMeters() throws IOException {
		JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(DASHBOARD));
		Map<String, List<Map<String, String>>> samples = samples();
		List<String> problems = new ArrayList<>();
		int expressions = 0;
		for (JsonNode panel : dashboard.get("panels")) {
			for (JsonNode target : panel.path("targets")) {
				expressions++;
				check(target.get("expr").asString(), samples, problems);
			}
		}
		assertThat(problems).isEmpty();
		assertThat(expressions).isGreaterThan(30);
		String variable = dashboard.get("templating").get("list").get(1).get("query").get("query").asString();
		check(variable.replaceFirst("label_values\\((.*), instance\\)", "$1"), samples, problems);
		assertThat(problems).isEmpty();
	}

	@Test
	void panelsHaveDistinctPlacesAndNumbers() throws IOException {
		JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(DASHBOARD));
		Set<Integer> numbers = new HashSet<>();
		Set<String> cells = new HashSet<>();
		for (JsonNode panel : dashboard.get("panels")) {
			assertThat(numbers.add(panel.get("id").asInt())).isTrue();
			JsonNode place = panel.get("gridPos");
			assertThat(place.get("x").asInt() + place.get("w").asInt()).isBetween(1, 24);
			for (int x = 0; x < place.get("w").asInt(); x++) {
				for (int y = 0; y < place.get("h").asInt(); y++) {
					String cell = (place.get("x").asInt() + x) + "," + (place.get("y").asInt() + y);
					assertThat(cells.add(cell)).as(panel.get("title") + " at " + cell).isTrue();
				}
			}
		}
	}

	private static void check(String expression, Map<String, List<Map<String, String>>> samples,
			List<String> problems) {
		Set<String> grouped = new HashSet<>();
		Matcher grouping = GROUPING.matcher(expression);
		while (grouping.find()) {
			grouped.addAll(List.of(grouping.group(1).split(", ")));
		}
		grouped.removeAll(SCRAPE_LABELS);
		Matcher selector = SELECTOR.matcher(GROUPING.matcher(expression).replaceAll(""));
		boolean found = false;
		while (selector.find()) {
			String name = selector.group(1);
			if (selector.group(4) != null || FUNCTIONS.contains(name)) {
				if (!FUNCTIONS.contains(name)) {
					problems.add(expression + ": unknown function " + name);
				}
				continue;
			}
			found = true;
			List<Map<String, String>> series = samples.getOrDefault(name, List.of());
			if (series.isEmpty()) {
				problems.add(expression + ": no meter " + name);
				continue;
			}
			Set<String> labels = new HashSet<>();
			series.forEach((each) -> labels.addAll(each.keySet()));
			for (String label : grouped) {
				if (!labels.contains(label)) {
					problems.add("%s: %s has no label %s, only %s".formatted(expression, name, label, labels));
				}
			}
			checkMatchers(expression, String.valueOf(selector.group(2)), series, labels, problems);
		}
		if (!found) {
			problems.add(expression + ": names no meter");
		}
	}

	private static void checkMatchers(String expression, String matchers, List<Map<String, String>> series,
			Set<String> labels, List<String> problems) {
		Matcher matcher = MATCHER.matcher(matchers);
		while (matcher.find()) {
			String label = matcher.group(1);
			if (SCRAPE_LABELS.contains(label)) {
				continue;
			}
			String value = matcher.group(3);
			boolean known = series.stream().anyMatch((each) -> value.equals(each.get(label)));
			if (!labels.contains(label) || !known) {
				problems.add("%s: no series has %s=\"%s\"".formatted(expression, label, value));
			}
		}
	}

	/** Uses all parts that the dashboard shows, and returns what is published then. */
	private static Map<String, List<Map<String, String>>> samples() {
		try (ConfigurableApplicationContext server = start(Server.class);
				ConfigurableApplicationContext client = start(Client.class,
						"spring.http.serviceclient.quotes.base-url=" + Applications.url(server),
						"server.url=" + Applications.url(server))) {
			Cache cache = client.getBean(CacheManager.class).getCache("prices");
			assertThat(cache).isNotNull();
			cache.put("A", 1);
			assertThat(cache.get("A")).isNotNull();
			assertThat(cache.get("B")).isNull();
			Topic<String> topic = server.getBean(TopicFactory.class).topic("news", TopicModel.PUB_SUB, String.class);
			RestClient plain = client.getBean("plain", RestClient.class);
			Map<String, List<Map<String, String>>> all = new TreeMap<>();
			await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
				topic.publish("hello", Map.of());
				assertThat(plain.get().uri("/plain").retrieve().body(String.class)).isEqualTo("plain");
				client.getBean(Quotes.class).quote("A");
				all.clear();
				read(server, all);
				read(client, all);
				assertThat(all).containsKeys("vicinal_channel_calls_seconds_count", "vicinal_http_exchanges_total",
						"vicinal_topic_delivered_messages_total");
			});
			return all;
		}
	}

	private static ConfigurableApplicationContext start(Class<?> type, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("vicinal.channels.quotes.paths=uds");
		all.add("spring.cache.cache-names=prices");
		all.add("vicinal.cache.policy=AIC");
		all.add("management.metrics.distribution.percentiles-histogram.vicinal.channel.calls=true");
		all.add("management.metrics.distribution.percentiles-histogram.vicinal.server.requests=true");
		return Applications.start(type, all.toArray(new String[0]));
	}

	private static void read(ConfigurableApplicationContext application, Map<String, List<Map<String, String>>> into) {
		for (String line : application.getBean(PrometheusMeterRegistry.class).scrape().split("\n")) {
			Matcher sample = SAMPLE.matcher(line);
			if (!line.startsWith("#") && sample.matches()) {
				Map<String, String> labels = new TreeMap<>();
				Matcher label = LABEL.matcher(String.valueOf(sample.group(2)));
				while (label.find()) {
					labels.put(label.group(1), label.group(2));
				}
				into.computeIfAbsent(sample.group(1), (name) -> new ArrayList<>()).add(labels);
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	static class Common {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	static class Server {

		@Bean
		QuoteController quotes() {
			return new QuoteController();
		}

	}

	@RestController
	static class QuoteController implements Quotes {

		@Override
		public Quote quote(String symbol) {
			return new Quote(symbol, 100, "server");
		}

		@GetMapping("/plain")
		String plain() {
			return "plain";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	@ImportHttpServices(group = "quotes", types = Quotes.class)
	static class Client {

		@Bean
		RestClient plain(RestClient.Builder builder, @Value("${server.url}") String url) {
			return builder.baseUrl(url).build();
		}

		@Bean
		Listener listener() {
			return new Listener();
		}

	}

	static class Listener {

		@AffinityListener(topic = "news", model = TopicModel.PUB_SUB)
		void read(String news) {
			assertThat(news).isNotEmpty();
		}

	}

}
