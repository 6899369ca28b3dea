package io.github.vicinal.boot;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.testing.InTurn;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.ServerHttpMessageConvertersCustomizer;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.HttpServiceProxyRegistry;
import org.springframework.web.service.registry.ImportHttpServices;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * JSON that one side or both have configured: typed calls come out as they do over HTTP.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JsonConfigurationTests {

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	/** Service without settings, for all tests. */
	private @Nullable ConfigurableApplicationContext plain;

	@AfterEach
	void stop() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.contexts.clear();
	}

	@AfterAll
	void stopPlain() {
		if (this.plain != null) {
			this.plain.close();
		}
	}

	private ConfigurableApplicationContext plain() {
		ConfigurableApplicationContext running = this.plain;
		if (running == null) {
			running = run(ThingService.class, Setting.NOTHING, Map.of());
			this.plain = running;
		}
		return running;
	}

	/** Settings that an application may make. */
	enum Setting {

		NOTHING, SNAKE_CASE("spring.jackson.property-naming-strategy", "SNAKE_CASE"),
		NON_NULL("spring.jackson.default-property-inclusion", "non_null"),
		NON_DEFAULT("spring.jackson.default-property-inclusion", "non_default"),
		NON_EMPTY("spring.jackson.default-property-inclusion", "non_empty"),
		DATE_FORMAT("spring.jackson.date-format", "yyyy-MM-dd"),
		TIMESTAMPS("spring.jackson.datatype.datetime.write-dates-as-timestamps", "true"),
		MILLISECONDS("spring.jackson.datatype.datetime.write-dates-as-timestamps", "true",
				"spring.jackson.datatype.datetime.write-date-timestamps-as-nanoseconds", "false"),
		STRICT("spring.jackson.deserialization.fail-on-unknown-properties", "true"),
		NULLS_ARE_ZERO("spring.jackson.deserialization.fail-on-null-for-primitives", "false"),
		ENUMS_BY_INDEX("spring.jackson.datatype.enum.write-enums-using-index", "true"),
		ROOT("spring.jackson.serialization.wrap-root-value", "true"),
		SORTED("spring.jackson.mapper.sort-properties-alphabetically", "true"),
		MIX_IN((builder) -> builder.addMixIn(Thing.class, Hiding.class)),
		TRIMMED_TEXT(
				(builder) -> builder.addModule(new SimpleModule("trim").addDeserializer(String.class, new Trimming()))),
		LOUD_TEXT((builder) -> builder.addModule(new SimpleModule("loud").addSerializer(String.class, new Loud()))),
		LONGS_AS_TEXT((builder) -> builder
			.addModule(new SimpleModule("longs").addSerializer(Long.class, ToStringSerializer.instance))),
		OVERRIDE((builder) -> builder.withConfigOverride(Thing.class,
				(type) -> type.setInclude(JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, null)))),
		OWN_CONVERTER((context) -> context.registerBean(WebMvcConfigurer.class, () -> new WebMvcConfigurer() {

			@Override
			@SuppressWarnings("removal")
			public void extendMessageConverters(
					List<org.springframework.http.converter.HttpMessageConverter<?>> converters) {
				converters.add(0, new ThingConverter());
			}

		}), true),
		OTHER_MAPPER((context) -> context.registerBean("other", ServerHttpMessageConvertersCustomizer.class,
				() -> (converters) -> converters.withJsonConverter(new JacksonJsonHttpMessageConverter(
						JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE).build()))),
				true);

		private final Map<String, Object> properties;

		private final Customizer customizer;

		Setting(String... properties) {
			this.properties = new HashMap<>();
			for (int i = 0; i < properties.length; i += 2) {
				this.properties.put(properties[i], properties[i + 1]);
			}
			this.customizer = (context) -> {
			};
		}

		Setting(JsonMapperBuilderCustomizer mapper) {
			this.properties = Map.of();
			this.customizer = (context) -> context.registerBean("own", JsonMapperBuilderCustomizer.class, () -> mapper);
		}

		Setting(Customizer customizer, boolean converters) {
			this.properties = Map.of();
			this.customizer = customizer;
		}

	}

	private interface Customizer {

		void customize(GenericApplicationContext context);

	}

	private ConfigurableApplicationContext start(Class<?> type, Setting setting, Map<String, Object> properties) {
		ConfigurableApplicationContext context = run(type, setting, properties);
		this.contexts.add(context);
		return context;
	}

	private static ConfigurableApplicationContext run(Class<?> type, Setting setting, Map<String, Object> properties) {
		Map<String, Object> all = new HashMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"vicinal.compare-paths", "false", "vicinal.confirm-interval", "0s", "server.shutdown", "immediate",
				"spring.cloud.loadbalancer.enabled", "false"));
		all.putAll(setting.properties);
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		application.addInitializers((context) -> setting.customizer.customize((GenericApplicationContext) context));
		return application.run();
	}

	/** Starts a client of two services, with a channel for each path to each of them. */
	private ConfigurableApplicationContext client(Setting setting, String plain, String set) {
		Map<String, Object> properties = new HashMap<>();
		for (String path : List.of("http", "direct", "uds")) {
			properties.put("spring.http.serviceclient.plain-" + path + ".base-url", plain);
			properties.put("vicinal.channels.plain-" + path + ".paths", path);
			properties.put("spring.http.serviceclient.set-" + path + ".base-url", set);
			properties.put("vicinal.channels.set-" + path + ".paths", path);
		}
		return start(ThingClients.class, setting, properties);
	}

	@ParameterizedTest
	@EnumSource(Setting.class)
	void typedCallsComeOutAsOverHttp(Setting setting) {
		String plain = url(plain());
		String set = url(start(ThingService.class, setting, Map.of()));
		ConfigurableApplicationContext plainClient = client(Setting.NOTHING, plain, set);
		ConfigurableApplicationContext setClient = client(setting, plain, set);
		assertThatCallsComeOutAsOverHttp(setClient, "plain", setting + " at the client");
		assertThatCallsComeOutAsOverHttp(plainClient, "set", setting + " at the server");
		assertThatCallsComeOutAsOverHttp(setClient, "set", setting + " at both");
		if (setting == Setting.NOTHING) {
			assertThat(setClient.getBean(ClientChannels.class).reports()).hasSize(6)
				.allSatisfy((channel) -> assertThat(channel.name()).endsWith("-" + channel.peers().get(0).path()));
		}
	}

	private static void assertThatCallsComeOutAsOverHttp(ConfigurableApplicationContext client, String service,
			String where) {
		List<String> expected = outcomes(client, service, "http");
		for (String path : List.of("direct", "uds")) {
			assertThat(outcomes(client, service, path)).as("%s, %s", where, path).isEqualTo(expected);
		}
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds", "shm" })
	void resultsThatCannotBeReadAreNotAskedForTwiceEachTime(String path) {
		ConfigurableApplicationContext service = start(ThingService.class, Setting.SNAKE_CASE, Map.of());
		ConfigurableApplicationContext client = start(ThingClient.class, Setting.NOTHING, Map
			.of("spring.http.serviceclient.things.base-url", url(service), "vicinal.channels.things.paths", path));
		Things things = client.getBean(Things.class);
		settle(things, client.getBean(ClientChannels.class), "things", path);
		assertThat(client.getBean(ClientChannels.class).reports().get(0).peers().get(0).path()).isEqualTo(path);
		int calls = 20;
		for (int call = 0; call < calls; call++) {
			assertThat(outcome(things::level)).isEqualTo("org.springframework.web.client.RestClientException");
		}
		assertThat(service.getBean(ThingController.class).levels.get()).isEqualTo(calls + 3);
		assertThat(outcome(() -> things.text("other methods"))).isEqualTo("[other methods]");
	}

	private static List<String> outcomes(ConfigurableApplicationContext client, String service, String path) {
		String group = service + "-" + path;
		Things things = client.getBean(HttpServiceProxyRegistry.class).getClient(group, Things.class);
		settle(things, client.getBean(ClientChannels.class), group, path);
		Thing thing = new Thing("a name", null, 7L, Instant.ofEpochSecond(1_700_000_000, 123_456_789), Kind.SECOND,
				List.of(), new BigDecimal("1.50"));
		return List.of(outcome(() -> things.swap(thing)), outcome(() -> things.all(" x ", 2)),
				outcome(() -> things.described(" a text ", 42L, Instant.ofEpochSecond(1_700_000_000, 123_456_789))),
				outcome(() -> things.text(" b ")), outcome(things::bean), outcome(() -> things.sent(new Bean())));
	}

	/** Calls until the path is in use, or there is a reason why it is not. */
	private static void settle(Things things, ClientChannels channels, String channel, String path) {
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
			outcome(() -> things.text("settle"));
			return channels.reports()
				.stream()
				.filter((report) -> report.name().equals(channel))
				.flatMap((report) -> report.peers().stream())
				.anyMatch((peer) -> peer.path().equals(path) || isDecided(peer.reason()));
		});
	}

	private static boolean isDecided(String reason) {
		return !reason.isEmpty() && !reason.startsWith("connecting") && !reason.startsWith("no call");
	}

	private static String url(ConfigurableApplicationContext service) {
		return "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
	}

	private static String outcome(Callable<Object> call) {
		try {
			return String.valueOf(call.call());
		}
		catch (Exception ex) {
			return ex.getClass().getName();
		}
	}

	@AffinityChannel
	@HttpExchange("/things")
	interface Things {

		@PostExchange("/swap")
		Thing swap(@RequestBody Thing thing);

		@GetExchange("/all")
		List<Thing> all(@RequestParam String name, @RequestParam int count);

		@GetExchange("/described")
		String described(@RequestParam String text, @RequestParam long number, @RequestParam Instant time);

		@GetExchange("/text")
		String text(@RequestParam String text);

		@GetExchange("/bean")
		Bean bean();

		@PostExchange("/sent")
		String sent(@RequestBody Bean bean);

		@GetExchange("/level")
		Level level();

	}

	enum Kind {

		FIRST, SECOND

	}

	record Thing(String givenName, @Nullable String note, Long size, Instant madeAt, Kind kind, List<String> tags,
			BigDecimal price) {
	}

	/** Cannot be read if its only value has another name. */
	record Level(int loadFactor) {
	}

	/**
	 * A property that the JSON leaves out keeps the value that the constructor gave it.
	 */
	public static class Bean {

		private @Nullable String set = "default";

		private int count;

		public @Nullable String getSet() {
			return this.set;
		}

		public void setSet(@Nullable String set) {
			this.set = set;
		}

		public int getCount() {
			return this.count;
		}

		public void setCount(int count) {
			this.count = count;
		}

		@Override
		public String toString() {
			return this.set + "/" + this.count;
		}

	}

	abstract static class Hiding {

		@JsonIgnore
		abstract String givenName();

	}

	private static final class Trimming extends ValueDeserializer<String> {

		@Override
		public String deserialize(JsonParser parser, DeserializationContext context) {
			return parser.getString().strip();
		}

	}

	private static final class Loud extends ValueSerializer<String> {

		@Override
		public void serialize(String value, JsonGenerator generator, SerializationContext context) {
			generator.writeString(value + "!");
		}

	}

	private static final class ThingConverter extends AbstractHttpMessageConverter<Thing> {

		ThingConverter() {
			super(MediaType.APPLICATION_JSON);
		}

		@Override
		protected boolean supports(Class<?> type) {
			return type == Thing.class;
		}

		@Override
		protected Thing readInternal(Class<? extends Thing> type, HttpInputMessage input) throws IOException {
			input.getBody().readAllBytes();
			return new Thing("own", null, 0L, Instant.EPOCH, Kind.FIRST, List.of(), BigDecimal.ONE);
		}

		@Override
		protected void writeInternal(Thing thing, HttpOutputMessage output) throws IOException {
			output.getBody().write("{\"givenName\":\"own\"}".getBytes(StandardCharsets.UTF_8));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ThingController.class)
	static class ThingService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "things", types = Things.class)
	static class ThingClient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "plain-http", types = Things.class)
	@ImportHttpServices(group = "plain-direct", types = Things.class)
	@ImportHttpServices(group = "plain-uds", types = Things.class)
	@ImportHttpServices(group = "set-http", types = Things.class)
	@ImportHttpServices(group = "set-direct", types = Things.class)
	@ImportHttpServices(group = "set-uds", types = Things.class)
	static class ThingClients {

	}

	@RestController
	static class ThingController implements Things {

		private final AtomicInteger levels = new AtomicInteger();

		@Override
		public Thing swap(Thing thing) {
			return new Thing("was " + thing.givenName(), thing.note(), thing.size(), thing.madeAt(), thing.kind(),
					thing.tags(), thing.price());
		}

		@Override
		public List<Thing> all(String name, int count) {
			return List.of(new Thing(name, null, (long) count, Instant.EPOCH.plusNanos(5), Kind.FIRST, List.of("a"),
					BigDecimal.TEN));
		}

		@Override
		public String described(String text, long number, Instant time) {
			return "[" + text + "] " + number + " " + time;
		}

		@Override
		public String text(String text) {
			return "[" + text + "]";
		}

		@Override
		public Bean bean() {
			Bean bean = new Bean();
			bean.setSet(null);
			return bean;
		}

		@Override
		public Level level() {
			return new Level(this.levels.incrementAndGet());
		}

		@Override
		public String sent(Bean bean) {
			return bean.toString();
		}

	}

}
