package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.context.support.RequestHandledEvent;
import org.springframework.web.context.support.ServletRequestHandledEvent;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Spring MVC publishes an event for each request, typed calls included. */
@Timeout(60)
class RequestEventTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@InTurn(value = { "direct, false, false", "uds, false, false", "uds, true, false", "direct, true, false",
			"uds, false, true", "uds, true, true" }, rows = 3)
	void eachTypedCallIsAnEvent(String path, boolean annotated, boolean lazy) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications
			.start(annotated ? AnnotatedService.class : ListeningService.class, Map.of("vicinal.server.paths", path,
					"vicinal.rendezvous.directory", rendezvous, "spring.main.lazy-initialization", lazy));
		String port = service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.things.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.serviceclient.things.base-url", "http://localhost:" + port));
		Things things = client.getBean(Things.class);
		await().untilAsserted(() -> {
			assertThat(things.named("a")).isEqualTo("a");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("things").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		Events events = service.getBean(Events.class);
		RestClient http = RestClient.create("http://localhost:" + port);
		// Spring MVC publishes them after the response was sent.
		await()
			.untilAsserted(() -> assertThat(events.seen()).hasSize(service.getBean(ThingController.class).calls.get()));
		List<String> ofRequests = eventsOf(events, (name) -> named(http, name));
		List<String> ofCalls = eventsOf(events, things::named);
		assertThat(ofCalls).isEqualTo(ofRequests);
		PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("things").peers().get(0);
		assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
	}

	private static String named(RestClient http, String name) {
		return String.valueOf(http.get().uri("/things/" + name).retrieve().body(String.class));
	}

	/** Returns the events of a call that finds something, and of one that does not. */
	private static List<String> eventsOf(Events events, UnaryOperator<String> call) {
		events.seen().clear();
		assertThat(call.apply("b")).isEqualTo("b");
		assertThatExceptionOfType(HttpClientErrorException.NotFound.class).isThrownBy(() -> call.apply("missing"));
		// The error page is a request to the dispatcher servlet, too.
		await().untilAsserted(() -> assertThat(events.seen()).hasSize(3));
		return events.seen()
			.stream()
			.map((event) -> "%s %s %d %s %s".formatted(event.getMethod(), event.getRequestUrl(), event.getStatusCode(),
					event.getServletName(), event.getClientAddress()))
			.sorted()
			.toList();
	}

	@AffinityChannel
	@HttpExchange("/things")
	interface Things {

		@GetExchange("/{name}")
		String named(@PathVariable String name);

	}

	interface Events {

		List<ServletRequestHandledEvent> seen();

	}

	@RestController
	static class ThingController implements Things {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public String named(String name) {
			this.calls.incrementAndGet();
			if (name.equals("missing")) {
				throw new ResponseStatusException(HttpStatus.NOT_FOUND);
			}
			return name;
		}

	}

	static class Listener implements Events, ApplicationListener<RequestHandledEvent> {

		private final List<ServletRequestHandledEvent> seen = new CopyOnWriteArrayList<>();

		@Override
		public void onApplicationEvent(RequestHandledEvent event) {
			this.seen.add((ServletRequestHandledEvent) event);
		}

		@Override
		public List<ServletRequestHandledEvent> seen() {
			return this.seen;
		}

	}

	static class AnnotatedListener implements Events {

		private final List<ServletRequestHandledEvent> seen = new CopyOnWriteArrayList<>();

		@EventListener
		void handled(ServletRequestHandledEvent event) {
			this.seen.add(event);
		}

		@Override
		public List<ServletRequestHandledEvent> seen() {
			return this.seen;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ThingController.class, Listener.class })
	static class ListeningService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ThingController.class, AnnotatedListener.class })
	static class AnnotatedService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "things", types = Things.class)
	static class Client {

	}

}
