package io.github.vicinal.boot.cache;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.autoconfigure.InvalidChannelException;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.CacheableCall;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.RequestReplySenderContext;
import io.micrometer.tracing.Tracer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.netty.http.client.HttpClient;

import org.springframework.aop.framework.Advised;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Sharing of answers among callers, with clients that others have set up. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class CachedCallCallersTests {

	private static ConfigurableApplicationContext server;

	@BeforeAll
	static void startServer() {
		server = start(Bank.class, Map.of());
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static String url() {
		return "http://localhost:" + server.getEnvironment().getProperty("local.server.port");
	}

	private static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	/** Starts a client whose group is set up in some way. */
	private static ConfigurableApplicationContext startGroup(Consumer<RestClient.Builder> setup,
			Map<String, Object> properties, CallCacheKeyContributor... contributors) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"spring.http.serviceclient.accounts.base-url", url()));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(Group.class);
		application.setDefaultProperties(all);
		application.addInitializers((context) -> {
			context.getBeanFactory()
				.registerSingleton("setup", (RestClientHttpServiceGroupConfigurer) (groups) -> groups
					.forEachClient((group, builder) -> setup.accept(builder)));
			for (int i = 0; i < contributors.length; i++) {
				context.getBeanFactory().registerSingleton("contributor" + i, contributors[i]);
			}
		});
		return application.run();
	}

	/** Parts of requests that may differ from caller to caller. */
	enum Addition {

		INTERCEPTOR("UserInterceptor") {
			@Override
			void add(RestClient.Builder client) {
				client.requestInterceptor(new UserInterceptor());
			}
		},

		LAMBDA("Lambda") {
			@Override
			void add(RestClient.Builder client) {
				client.requestInterceptor((request, body, execution) -> {
					request.getHeaders().setBearerAuth(user());
					return execution.execute(request, body);
				});
			}
		},

		INITIALIZER("request initializer") {
			@Override
			void add(RestClient.Builder client) {
				client.requestInitializer((request) -> request.getHeaders().setBearerAuth(user()));
			}
		},

		DEFAULT_REQUEST("consumer of default requests") {
			@Override
			void add(RestClient.Builder client) {
				client.defaultRequest((request) -> request.header("Authorization", "Bearer " + user()));
			}
		},

		URI_BUILDER("URI builder factory") {
			@Override
			void add(RestClient.Builder client) {
				client.uriBuilderFactory(new org.springframework.web.util.DefaultUriBuilderFactory(url()) {
				});
			}
		},

		REQUEST_FACTORY("UserRequestFactory") {
			@Override
			void add(RestClient.Builder client) {
				client.requestFactory(new UserRequestFactory());
			}
		};

		private final String named;

		Addition(String named) {
			this.named = named;
		}

		abstract void add(RestClient.Builder client);

	}

	@ParameterizedTest
	@EnumSource
	void anApplicationWhoseClientAddsTheCallerDoesNotStart(Addition addition) {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> startGroup(addition::add, Map.of()).close())
			.satisfies((ex) -> {
				Throwable cause = ex;
				while (cause.getCause() != null && !(cause instanceof InvalidChannelException)) {
					cause = cause.getCause();
				}
				assertThat(cause).isInstanceOf(InvalidChannelException.class)
					.hasMessageContaining("Accounts.")
					.hasMessageContaining(addition.named);
				assertThat(((InvalidChannelException) cause).action())
					.contains(CallCacheKeyContributor.class.getName());
			});
	}

	@Test
	void additionsThatAreTheSameForAllRequestsAreNoReasonToRefuse() {
		try (ConfigurableApplicationContext client = startGroup(
				(builder) -> builder.defaultHeader("Authorization", "Bearer service").defaultCookie("a", "b"),
				Map.of())) {
			Accounts accounts = client.getBean(Accounts.class);
			String first = accounts.balance(1);
			assertThat(first).startsWith("Bearer service has #");
			assertThat(accounts.balance(1)).isEqualTo(first);
		}
	}

	@Test
	void callersHaveAnswersOfTheirOwnWhereAContributorTellsThemApart() {
		CallCacheKeyContributor contributor = new CallCacheKeyContributor() {
			@Override
			public boolean covers(RequestAddition addition) {
				return addition.isFrom(UserInterceptor.class);
			}

			@Override
			public Object part(String channel, Method method) {
				return USER.get();
			}
		};
		try (ConfigurableApplicationContext client = startGroup(Addition.INTERCEPTOR::add, Map.of(), contributor)) {
			Accounts accounts = client.getBean(Accounts.class);
			Map<String, String> first = new TreeMap<>();
			for (int i = 0; i < 3; i++) {
				for (String user : List.of("alice", "bob")) {
					USER.set(user);
					String balance = accounts.balance(2);
					assertThat(balance).startsWith("Bearer " + user + " has #");
					assertThat(first.computeIfAbsent(user, (absent) -> balance)).isEqualTo(balance);
				}
			}
		}
		finally {
			USER.remove();
		}
	}

	@Test
	void lambdasAreCoveredByTheClassThatTheyAreIn() {
		CallCacheKeyContributor contributor = new CallCacheKeyContributor() {
			@Override
			public boolean covers(RequestAddition addition) {
				return addition.isFrom(Addition.LAMBDA.getClass());
			}

			@Override
			public Object part(String channel, Method method) {
				return user();
			}
		};
		try (ConfigurableApplicationContext client = startGroup(Addition.LAMBDA::add, Map.of(), contributor)) {
			Accounts accounts = client.getBean(Accounts.class);
			USER.set("alice");
			String balance = accounts.balance(3);
			assertThat(accounts.balance(3)).isEqualTo(balance);
			USER.set("bob");
			assertThat(accounts.balance(3)).startsWith("Bearer bob");
		}
		finally {
			USER.remove();
		}
	}

	@Test
	void aPropertyMaySayThatAllMaySeeTheSame() {
		try (ConfigurableApplicationContext client = startGroup(Addition.INTERCEPTOR::add,
				Map.of("vicinal.cache.caches.accounts.balance.shared-by-all-callers", "true",
						"vicinal.cache.caches.accounts.answer.shared-by-all-callers", "true"))) {
			Accounts accounts = client.getBean(Accounts.class);
			USER.set("alice");
			String balance = accounts.balance(4);
			USER.set("bob");
			assertThat(accounts.balance(4)).isEqualTo(balance);
		}
		finally {
			USER.remove();
		}
	}

	/** The oracle is the server: it counts its answers. */
	@Test
	void headersOfAnswersCount() {
		try (ConfigurableApplicationContext client = startGroup((builder) -> {
		}, Map.of())) {
			Accounts accounts = client.getBean(Accounts.class);
			for (String kind : List.of("plain", "max-age", "vary-accept")) {
				String first = accounts.answer(kind);
				assertThat(accounts.answer(kind)).as(kind).isEqualTo(first);
			}
			for (String kind : List.of("no-store", "private", "set-cookie", "vary-all", "old", "expired", "redirect")) {
				String first = accounts.answer(kind);
				assertThat(accounts.answer(kind)).as(kind).isNotEqualTo(first);
				assertThat(accounts.answer(kind)).as(kind).isNotEqualTo(first);
			}
		}
	}

	@Test
	void clientsThatAreMadeByHandAreLookedInto(CapturedOutput output) {
		try (ConfigurableApplicationContext client = start(ByHand.class, Map.of("bank", url()))) {
			Accounts accounts = client.getBean(Accounts.class);
			String first = accounts.balance(5);
			assertThat(accounts.balance(5)).isEqualTo(first);
		}
		assertThat(output).doesNotContain("are not cached");
	}

	@Test
	void answersOfAClientOnReactorNettyAreKept() {
		try (ConfigurableApplicationContext client = startGroup((builder) -> {
		}, Map.of("spring.http.clients.imperative.factory", "reactor"))) {
			Accounts accounts = client.getBean(Accounts.class);
			String first = accounts.balance(8);
			assertThat(accounts.balance(8)).isEqualTo(first);
		}
	}

	@Test
	void aClientOnReactorNettyThatAddsTheCallerIsNotCachedAndSaysSo(CapturedOutput output) {
		UnaryOperator<HttpClient> adding = (client) -> client
			.doOnRequest((request, connection) -> request.addHeader("Authorization", "Bearer " + user()));
		try (ConfigurableApplicationContext client = startGroup(
				(builder) -> builder
					.requestFactory(ClientHttpRequestFactoryBuilder.reactor().withHttpClientCustomizer(adding).build()),
				Map.of())) {
			Accounts accounts = client.getBean(Accounts.class);
			String first = accounts.balance(9);
			assertThat(accounts.balance(9)).isNotEqualTo(first);
		}
		assertThat(output).contains("Calls of Accounts.balance are not cached").contains("Reactor Netty's doOnRequest");
	}

	@Test
	void aClientThatIsMadeByHandAndAddsTheCallerIsRefused() {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(ByHandWithInterceptor.class, Map.of("bank", url())).close())
			.withStackTraceContaining("UserInterceptor");
	}

	@Test
	void aClientThatCannotBeLookedIntoIsNotCachedAndSaysSo(CapturedOutput output) {
		try (ConfigurableApplicationContext client = start(OverWebClient.class, Map.of("bank", url()))) {
			Accounts accounts = client.getBean(Accounts.class);
			String first = accounts.balance(6);
			assertThat(accounts.balance(6)).isNotEqualTo(first);
		}
		assertThat(output).contains("Calls of Accounts.balance are not cached").contains("sharedByAllCallers");
	}

	/** Each request has a client of its own, which knows the user. */
	@Test
	void clientsThatAreMadeForEachUserAreNotServed(CapturedOutput output) {
		try (ConfigurableApplicationContext client = start(ForEachUser.class, Map.of("bank", url()))) {
			for (String user : List.of("alice", "bob", "alice")) {
				USER.set(user);
				assertThat(client.getBean(Accounts.class).balance(7)).startsWith("Bearer " + user);
			}
		}
		finally {
			USER.remove();
		}
		assertThat(output).contains("several clients");
	}

	@Test
	void baggageOfTracesIsAnAddition(CapturedOutput output) {
		try (ConfigurableApplicationContext client = startGroup((builder) -> {
		}, Map.of("management.tracing.baggage.remote-fields", "user-id"))) {
			Accounts accounts = client.getBean(Accounts.class);
			assertThat(accounts.balance(8)).isNotEqualTo(accounts.balance(8));
		}
		assertThat(output).contains("user-id").contains("are not cached");
	}

	/** As baggage of OpenTelemetry, which travels without being named in properties. */
	@Test
	void callersWithOtherBaggageHaveAnswersOfTheirOwn() {
		try (ConfigurableApplicationContext client = start(WithTraces.class,
				Map.of("spring.http.serviceclient.accounts.base-url", url(), "management.tracing.baggage.local-fields",
						"Here"))) {
			Accounts accounts = client.getBean(Accounts.class);
			Map<String, String> first = new TreeMap<>();
			for (int i = 0; i < 3; i++) {
				for (String user : List.of("alice", "bob")) {
					USER.set(user);
					String balance = accounts.balance(9);
					assertThat(balance).startsWith("nobody of " + user + " has #");
					assertThat(first.computeIfAbsent(user, (absent) -> balance)).isEqualTo(balance);
				}
			}
			USER.remove();
			assertThat(accounts.balance(9)).startsWith("nobody has #");
		}
		finally {
			USER.remove();
		}
	}

	/** A builder hands its own list to customizers, and clients use the same list. */
	@Test
	void interceptorsThatAreAddedLaterEndTheSharing() {
		List<List<ClientHttpRequestInterceptor>> kept = new ArrayList<>();
		try (ConfigurableApplicationContext client = startGroup((builder) -> builder.requestInterceptors(kept::add),
				Map.of())) {
			Accounts accounts = client.getBean(Accounts.class);
			assertThat(accounts.balance(10)).isEqualTo(accounts.balance(10));
			kept.forEach((interceptors) -> interceptors.add(new UserInterceptor()));
			for (String user : List.of("alice", "bob")) {
				USER.set(user);
				assertThat(accounts.balance(10)).startsWith("Bearer " + user + " has #");
			}
		}
		finally {
			USER.remove();
		}
	}

	@Test
	void handlersOfObservationsMayAddTheCaller() throws Exception {
		ObservationRegistry registry = ObservationRegistry.create();
		// Of a class that is neither Spring's nor ours.
		registry.observationConfig()
			.observationHandler((ObservationHandler<?>) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { ObservationHandler.class },
					(handler, method, arguments) -> (method.getReturnType() == boolean.class) ? true : null));
		RestClient client = RestClient.builder().observationRegistry(registry).build();
		Accounts proxy = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
			.build()
			.createClient(Accounts.class);
		RequestAdditions.Found found = RequestAdditions.of("accounts", (Advised) proxy, List.of(),
				RequestAdditions.Application.NOTHING);
		assertThat(found.toString()).contains("observation handler");
	}

	@Test
	void anInterceptorOfChannelsIsAnAddition() {
		assertThatExceptionOfType(Exception.class).isThrownBy(
				() -> start(Intercepted.class, Map.of("spring.http.serviceclient.greetings.base-url", url())).close())
			.withStackTraceContaining("channel interceptor");
	}

	@Test
	void answersOverTypedPathsAreKept() {
		try (ConfigurableApplicationContext client = start(Typed.class,
				Map.of("spring.http.serviceclient.greetings.base-url", url()))) {
			Greetings greetings = client.getBean(Greetings.class);
			Paths paths = client.getBean(Paths.class);
			AtomicInteger id = new AtomicInteger();
			await().until(() -> {
				greetings.greet(id.incrementAndGet());
				return !paths.used.equals(Set.of(PathKind.HTTP));
			});
			paths.used.clear();
			String first = greetings.greet(-1);
			assertThat(paths.used).doesNotContain(PathKind.HTTP).hasSize(1);
			paths.used.clear();
			assertThat(greetings.greet(-1)).isEqualTo(first);
			assertThat(paths.used).isEmpty();
		}
	}

	private static final ThreadLocal<String> USER = new ThreadLocal<>();

	private static String user() {
		return String.valueOf(USER.get());
	}

	static class UserInterceptor implements ClientHttpRequestInterceptor {

		@Override
		public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
				throws IOException {
			request.getHeaders().setBearerAuth(user());
			return execution.execute(request, body);
		}

	}

	static class UserRequestFactory implements ClientHttpRequestFactory {

		private final JdkClientHttpRequestFactory delegate = new JdkClientHttpRequestFactory();

		@Override
		public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
			ClientHttpRequest request = this.delegate.createRequest(uri, method);
			request.getHeaders().setBearerAuth(user());
			return request;
		}

	}

	@AffinityChannel
	@HttpExchange("/accounts")
	interface Accounts {

		@CacheableCall(expireAfterWrite = "5m")
		@GetExchange("/{id}/balance")
		String balance(@PathVariable long id);

		@CacheableCall(expireAfterWrite = "5m")
		@GetExchange("/answers/{kind}")
		String answer(@PathVariable String kind);

	}

	@AffinityChannel
	@HttpExchange("/greetings")
	interface Greetings {

		@CacheableCall(expireAfterWrite = "5m")
		@GetExchange("/{id}")
		String greet(@PathVariable long id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ AccountController.class, GreetingController.class })
	static class Bank {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "accounts", types = Accounts.class)
	static class Group {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "greetings", types = Greetings.class)
	static class Typed {

		@Bean
		Paths paths() {
			return new Paths();
		}

	}

	/** Which paths calls took. */
	static class Paths implements ChannelListener {

		private final Set<PathKind> used = ConcurrentHashMap.newKeySet();

		@Override
		public void calling(Channel channel, ContractMethod method, PathKind path, String reason) {
			this.used.add(path);
		}

	}

	/** Traces whose baggage becomes headers. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "accounts", types = Accounts.class)
	static class WithTraces {

		private final AtomicInteger calls = new AtomicInteger();

		@Bean
		Tracer tracer() {
			Tracer tracer = mock(Tracer.class);
			given(tracer.getAllBaggage()).willAnswer((call) -> baggage());
			return tracer;
		}

		private Map<String, String> baggage() {
			String user = USER.get();
			return (user != null) ? Map.of("tenant", user, "here", "#" + this.calls.incrementAndGet()) : Map.of();
		}

		@Bean
		ObservationHandler<RequestReplySenderContext<Object, Object>> propagation(Tracer tracer) {
			return new ObservationHandler<>() {

				@Override
				public void onStart(RequestReplySenderContext<Object, Object> context) {
					tracer.getAllBaggage()
						.forEach((name, value) -> context.getSetter()
							.set(Objects.requireNonNull(context.getCarrier()), name, value));
				}

				@Override
				public boolean supportsContext(Observation.Context context) {
					return context instanceof RequestReplySenderContext<?, ?>;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ByHand {

		@Bean
		Accounts accounts(RestClient.Builder builder, org.springframework.core.env.Environment environment) {
			RestClient client = builder.baseUrl(environment.getRequiredProperty("bank")).build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
				.build()
				.createClient(Accounts.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ByHandWithInterceptor {

		@Bean
		Accounts accounts(RestClient.Builder builder, org.springframework.core.env.Environment environment) {
			RestClient client = builder.baseUrl(environment.getRequiredProperty("bank"))
				.requestInterceptor(new UserInterceptor())
				.build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
				.build()
				.createClient(Accounts.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ForEachUser {

		@Bean
		@Scope("prototype")
		Accounts accounts(RestClient.Builder builder, org.springframework.core.env.Environment environment) {
			RestClient client = builder.baseUrl(environment.getRequiredProperty("bank"))
				.defaultHeader("Authorization", "Bearer " + user())
				.build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
				.build()
				.createClient(Accounts.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "greetings", types = Greetings.class)
	static class Intercepted {

		@Bean
		ChannelInterceptor interceptor() {
			return (channel, frame, next) -> next.call(frame);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class OverWebClient {

		@Bean
		Accounts accounts(org.springframework.core.env.Environment environment) {
			WebClient client = WebClient.create(environment.getRequiredProperty("bank"));
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client))
				.build()
				.createClient(Accounts.class);
		}

	}

	@RestController
	static class AccountController {

		private final AtomicInteger calls = new AtomicInteger();

		@GetMapping("/accounts/{id}/balance")
		String balance(@PathVariable long id,
				@RequestHeader(name = "Authorization", defaultValue = "nobody") String caller,
				@RequestHeader(name = "tenant", defaultValue = "") String tenant) {
			return caller + (tenant.isEmpty() ? "" : " of " + tenant) + " has #" + this.calls.incrementAndGet();
		}

		@GetMapping("/accounts/answers/{kind}")
		ResponseEntity<String> answer(@PathVariable String kind) {
			ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
			switch (kind) {
				case "max-age" -> answer.header("Cache-Control", "max-age=60");
				case "vary-accept" -> answer.header("Vary", "Accept", "Origin");
				case "no-store" -> answer.header("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
				case "private" -> answer.header("Cache-Control", "private");
				case "set-cookie" -> answer.header("Set-Cookie", "a=b");
				case "vary-all" -> answer.header("Vary", "*");
				case "old" -> answer.header("Age", "300");
				case "redirect" -> {
					return ResponseEntity.status(302).header("Location", "/accounts/answers/plain").build();
				}
				case "expired" -> answer.header("Expires", "0");
				default -> {
				}
			}
			return answer.body("#" + this.calls.incrementAndGet());
		}

	}

	@RestController
	static class GreetingController implements Greetings {

		private final AtomicInteger calls = new AtomicInteger();

		@Override
		public String greet(long id) {
			return "hello " + id + " #" + this.calls.incrementAndGet();
		}

	}

}
