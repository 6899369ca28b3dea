package io.github.vicinal.boot.autoconfigure;

import java.util.List;

import io.github.vicinal.boot.Baskets;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.boot.actuate.ChannelsEndpointAutoConfiguration;
import io.github.vicinal.boot.actuate.VicinalMetricsAutoConfiguration;
import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.server.ServiceAutoConfiguration;
import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.boot.transport.LocalTransportAutoConfiguration;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.requestserver.RequestServerReport;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignAutoConfiguration;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import static org.assertj.core.api.Assertions.assertThat;

/** Beans by condition, and messages of mistakes at start. */
@ExtendWith(OutputCaptureExtension.class)
class AutoConfigurationTests {

	private final ApplicationContextRunner client = new ApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class)
		.withPropertyValues("management.endpoints.web.exposure.include=vicinalchannels",
				"management.endpoints.jmx.exposure.include=vicinalchannels",
				"spring.http.serviceclient.baskets.base-url=http://localhost:1");

	private final WebApplicationContextRunner server = new WebApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class)
		.withPropertyValues("management.endpoints.web.exposure.include=vicinalchannels");

	/** An application with HTTP clients and nothing else. */
	private static ApplicationContextRunner minimal() {
		return new ApplicationContextRunner().withUserConfiguration(GroupClient.class)
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
					ImperativeHttpClientAutoConfiguration.class, HttpServiceClientPropertiesAutoConfiguration.class,
					RestClientAutoConfiguration.class, HttpServiceClientAutoConfiguration.class,
					VicinalAutoConfiguration.class, LocalTransportAutoConfiguration.class,
					ChannelClientAutoConfiguration.class, ServiceAutoConfiguration.class,
					ChannelsEndpointAutoConfiguration.class, VicinalMetricsAutoConfiguration.class));
	}

	/** The level is one per JVM, and applications of other tests turn it off. */
	@BeforeEach
	void logWarnings() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
	}

	@Test
	void anApplicationThatAnnotatesNothingOpensNothing() {
		this.server.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(ServiceCatalog.class);
			ConfigurableListableBeanFactory beans = context.getSourceApplicationContext().getBeanFactory();
			for (Class<?> type : new Class<?>[] { Rendezvous.class, PeerIdentity.class, UdsPathServer.class,
					UdsPathProvider.class, Codecs.class }) {
				for (String name : beans.getBeanNamesForType(type, true, false)) {
					assertThat(beans.containsSingleton(name)).as(name).isFalse();
				}
			}
			assertThat(context.getBean(MeterRegistry.class).get("vicinal.uds.connections").gauge().value()).isZero();
			assertThat(context.getBean(MeterRegistry.class)
				.get("vicinal.shm.violations")
				.tag("reason", "malformed")
				.functionCounter()
				.count()).isZero();
			for (String side : new String[] { "client", "server" }) {
				for (String path : new String[] { "shm", "uds" }) {
					assertThat(context.getBean(MeterRegistry.class)
						.get("vicinal.shm.heap")
						.tag("path", path)
						.tag("side", side)
						.gauge()
						.value()).isZero();
				}
				assertThat(context.getBean(MeterRegistry.class)
					.get("vicinal.shm.memory")
					.tag("side", side)
					.gauge()
					.value()).isZero();
			}
			assertThat(beans.containsSingleton("vicinalUdsPathServer")).isFalse();
			assertThat(beans.containsSingleton("vicinalShmPathProvider")).isFalse();
		});
	}

	@Test
	void isOffByProperty() {
		this.client.withPropertyValues("vicinal.enabled=false")
			.withUserConfiguration(GroupClient.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(Baskets.class)
				.doesNotHaveBean(ClientChannels.class)
				.doesNotHaveBean(ChannelsEndpoint.class));
	}

	/** Those of Jetty: module jetty-tests. */
	@Test
	void exchangesAreThoseOfTheWebServer() {
		this.server.run((context) -> assertThat(context.getBeanNamesForType(ExchangeService.class, true, false))
			.containsExactly("vicinalExchangeService"));
		this.server.withClassLoader(new FilteredClassLoader(TomcatWebServer.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ServiceCatalog.class)
				.doesNotHaveBean(ExchangeService.class));
	}

	/** Spring Boot 4.0 has no customizers of proxy factories. */
	@Test
	void springBootThatIsTooOldIsRefusedWithASentence() {
		ApplicationContextRunner old = this.client.withUserConfiguration(GroupClient.class)
			.withClassLoader(new FilteredClassLoader(HttpServiceProxyFactory.ProxyFactoryCustomizer.class));
		old.run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription())
				.isEqualTo("Channels need Spring Boot 4.1, but this application has Spring Boot "
						+ SpringBootVersion.getVersion());
			assertThat(analysis.getAction()).contains("Spring Boot 4.1 or newer", "vicinal.enabled=false");
		});
		old.withPropertyValues("vicinal.enabled=false").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void serverIsOffByProperty() {
		this.server.withPropertyValues("vicinal.server.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ServiceCatalog.class));
	}

	@Test
	void worksWithoutTheLocalTransport() {
		this.client.withUserConfiguration(GroupClient.class)
			.withClassLoader(new FilteredClassLoader("io.github.vicinal.transport"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ClientChannels.class)
				.doesNotHaveBean(UdsPathProvider.class));
	}

	@Test
	void worksWithoutMetrics() {
		minimal().withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ClientChannels.class)
				.doesNotHaveBean("vicinalMetrics"));
	}

	@Test
	void worksWithoutServlets() {
		this.client.withUserConfiguration(GroupClient.class)
			.withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web.servlet"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ClientChannels.class)
				.doesNotHaveBean(ServiceCatalog.class));
	}

	@Test
	void worksWithoutWebClientAndTransactions() {
		minimal()
			.withClassLoader(new FilteredClassLoader("org.springframework.web.reactive", "reactor",
					"org.springframework.transaction", "org.springframework.security", "org.springframework.cloud"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(ClientChannels.class));
	}

	@Test
	void annotatedGroupClientHasAChannelOfTheGroupsName() {
		this.client.withUserConfiguration(GroupClient.class).run((context) -> assertChannel(context, "baskets"));
	}

	@Test
	void handMadeClientHasAChannelOfTheContractsName() {
		this.client.withUserConfiguration(HandMadeClient.class).run((context) -> assertChannel(context, "Baskets"));
	}

	@Test
	void clientsOfOneContractHaveChannelsOfTheirOwn() {
		this.client.withUserConfiguration(HandMadeClient.class, DefaultGroupClient.class)
			.withPropertyValues("vicinal.channels.baskets.timeout=5s")
			.run((context) -> assertThat(context.getBean(ChannelsEndpoint.class).channels().channels()).hasSize(2)
				.allSatisfy((report) -> assertThat(report.name()).matches("Baskets(-baskets|-default)?"))
				.allSatisfy((report) -> assertThat(report.timeoutMillis()).isEqualTo(5000)));
	}

	@Test
	void configurationClassNamesTypes() {
		this.client.withUserConfiguration(ByTypes.class).run((context) -> assertChannel(context, "plain"));
	}

	@Test
	void configurationClassNamesGroups() {
		this.client.withUserConfiguration(ByGroups.class).run((context) -> assertChannel(context, "plain"));
	}

	@Test
	void propertiesAloneMakeAChannel() {
		this.client.withUserConfiguration(PlainClient.class)
			.withPropertyValues("vicinal.channels.plain.paths=uds")
			.run((context) -> assertChannel(context, "plain"));
	}

	@Test
	void anUnannotatedClientHasNoChannel() {
		this.client.withUserConfiguration(PlainClient.class)
			.run((context) -> assertThat(context.getBean(ChannelsEndpoint.class).channels().channels()).isEmpty());
	}

	@Test
	void timeoutIsThatOfTheHttpClientUnlessSaidOtherwise() {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("spring.http.serviceclient.baskets.read-timeout=3s")
			.run((context) -> assertThat(channel(context, "baskets").timeoutMillis()).isEqualTo(3000));
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("spring.http.clients.read-timeout=4s")
			.run((context) -> assertThat(channel(context, "baskets").timeoutMillis()).isEqualTo(4000));
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("spring.http.clients.read-timeout=4s", "vicinal.channels.baskets.timeout=5s")
			.run((context) -> assertThat(channel(context, "baskets").timeoutMillis()).isEqualTo(5000));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					vicinal.channels.baskets.timeout=-1s     | must be positive, but is PT-1S            | vicinal.channels.baskets.timeout
					vicinal.channels.baskets.instances=a:8080 | The value 'a:8080' of vicinal.channels.baskets.instances | http://a:8080
					vicinal.channels.baskets.instances=http://a b | 'http://a b' of vicinal.channels.baskets.instances is not a URL | http://a:8080
					vicinal.channels.baskets.instances=http://a:99999 | must have a port from 1 to 65535  | http://a:8080
					vicinal.channels.baskets.instances=http://a/x | may have a scheme, a host and a port only | base URL
					vicinal.channels.baskets.instances=http://a,http://a:80 | names the same instance as 'http://a' | Remove one
					vicinal.channels.baskets.instances=http://a,https://b | has both http and https     | less safe
					""")
	void mistakesInPropertiesSayWhatToDo(String property, String description, String action) {
		this.client.withUserConfiguration(GroupClient.class).withPropertyValues(property).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			vicinal.channels.baskets.paths=smoke  | smoke
			vicinal.reconnect-delay=soon          | soon
			""")
	void valuesThatCannotBeReadAreNamed(String property, String value) {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues(property)
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(value));
	}

	@Test
	void aPropertyForTheChannelOfAnotherApplicationIsAWarning(CapturedOutput output) {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("vicinal.channels.basket.paths=uds", "vicinal.channels.zebra.paths=uds")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("vicinal.channels.basket.*")
					.contains("Did you mean baskets?")
					.containsOnlyOnce("vicinal.channels.zebra.*");
			});
	}

	@Test
	void anAnnotatedInterfaceThatNobodyProxiesIsAWarning(CapturedOutput output) {
		this.client.withUserConfiguration(GroupClient.class, FeignLike.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("@AffinityChannel on " + Lonely.class.getName() + " has no effect here")
				.contains("@ImportHttpServices");
		});
	}

	/** Its requests are exchanges, and a channel is what it does not have. */
	@Test
	void anAnnotatedFeignClientHasAChannelOnceItIsMade(CapturedOutput output) {
		this.client.withUserConfiguration(GroupClient.class, FeignClients.class)
			.withPropertyValues("vicinal.channels.feigned.timeout=1s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				ClientChannels channels = context.getBean(ClientChannels.class);
				assertThat(channels.reports()).extracting(ChannelReport::name).doesNotContain("feigned");
				assertThat(output).doesNotContain(Feigned.class.getName()).doesNotContain("vicinal.channels.feigned");
				context.getBean(Feigned.class);
				assertThat(channels.reports()).extracting(ChannelReport::name).contains("feigned");
			});
	}

	@FeignClient(name = "feigned", url = "http://localhost:1")
	@AffinityChannel
	interface Feigned {

		@GetMapping("/feigned")
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableFeignClients(clients = Feigned.class)
	@ImportAutoConfiguration(FeignAutoConfiguration.class)
	static class FeignClients {

	}

	@AffinityChannel
	@HttpExchange("/lonely")
	interface Lonely {

		@GetExchange
		String get();

	}

	/** A bean as factories of other clients make it. */
	@Configuration(proxyBeanMethods = false)
	static class FeignLike {

		@Bean
		Lonely lonely() {
			return (Lonely) java.lang.reflect.Proxy.newProxyInstance(Lonely.class.getClassLoader(),
					new Class<?>[] { Lonely.class }, (proxy, method, arguments) -> "lonely");
		}

	}

	@Test
	void endpointAndBeanDoNotClashWithThoseOfSpringCloudStream() {
		this.client.withUserConfiguration(GroupClient.class)
			.run((context) -> assertThat(context).hasBean("vicinalChannelsEndpoint")
				.doesNotHaveBean("channelsEndpoint"));
	}

	@Test
	void aGroupThatDoesNotExistIsNamed() {
		this.client.withUserConfiguration(WrongGroup.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("@AffinityChannel(groups = \"palin\")");
			assertThat(analysis.getAction()).contains("plain");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "Baskets", "BASKETS", "bas-kets" })
	void channelsAreNamedAsPropertiesAre(String name) {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("vicinal.channels." + name + ".enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(ChannelsEndpoint.class).channel("baskets")).isNull();
			});
	}

	@Test
	void twoNamesOfOneChannelAreRefused() {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("vicinal.channels.baskets.paths=uds", "vicinal.channels.Baskets.enabled=false")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription())
				.contains("name the same channel"));
	}

	@Test
	void aPropertyThatDoesNotExistIsNamed() {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues("vicinal.channels.baskets.path=uds")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("vicinal.channels.baskets.path does not exist");
				assertThat(analysis.getAction()).contains("paths").contains("ignore-client-interceptors");
			});
	}

	@Test
	void anAnnotationWithoutEffectIsNamed() {
		this.client.withUserConfiguration(GroupClient.class, Useless.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Useless has no effect");
			assertThat(analysis.getAction()).contains("types = ");
		});
	}

	@Test
	void settingsThatAMethodCannotHaveAreNamed() {
		this.client.withUserConfiguration(WithUselessMethod.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("@AffinityChannel on").contains("PerMethod.get");
			assertThat(analysis.getAction()).contains("on the interface");
		});
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "vicinal.reconnect-delay=-1s", "vicinal.confirm-interval=-1ms", "vicinal.default-timeout=-1s" })
	void valuesOutOfRangeAreNamed(String property) {
		this.client.withUserConfiguration(GroupClient.class)
			.withPropertyValues(property)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining(property.substring(0, property.indexOf('=')) + " must "));
	}

	@Test
	void aTypeThatIsNoContractIsNamed() {
		this.client.withUserConfiguration(WrongType.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Runnable").contains("no method with @HttpExchange");
			assertThat(analysis.getAction()).contains("remove @AffinityChannel");
		});
	}

	@Test
	void aClassIsNoContract() {
		this.client.withUserConfiguration(WrongKind.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("which is not an interface");
			assertThat(analysis.getAction()).contains("@HttpExchange interface");
		});
	}

	@Test
	void hintsForNativeImages() {
		RuntimeHints hints = new RuntimeHints();
		new VicinalRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(HttpServletRequest.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(ChannelReport.PeerReport.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(RequestMappingHandlerAdapter.class)
			.withMemberCategory(MemberCategory.ACCESS_DECLARED_FIELDS)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(RequestServerReport.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(RequestServerReport.Quantiles.class)).accepts(hints);
		assertThat(List.of("channels.html", "topics.html", "page.css", "page.js")).allSatisfy((page) -> assertThat(
				RuntimeHintsPredicates.resource().forResource("io/github/vicinal/boot/actuate/" + page))
			.accepts(hints));
	}

	private static FailureAnalysis analysis(Throwable failure) {
		assertThat(failure).isNotNull();
		Throwable cause = failure;
		while (!(cause instanceof InvalidChannelException)) {
			assertThat(cause.getCause()).as(failure.toString()).isNotNull();
			cause = cause.getCause();
		}
		FailureAnalysis analysis = new InvalidChannelFailureAnalyzer().analyze(failure);
		assertThat(analysis).isNotNull();
		return analysis;
	}

	private static ChannelReport channel(org.springframework.context.ApplicationContext context, String name) {
		ChannelReport report = context.getBean(ChannelsEndpoint.class).channel(name);
		assertThat(report).as(name).isNotNull();
		return report;
	}

	private static void assertChannel(
			org.springframework.boot.test.context.assertj.AssertableApplicationContext context, String name) {
		assertThat(context).hasNotFailed();
		assertThat(channel(context, name).peers()).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "baskets", types = Baskets.class)
	static class GroupClient {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(types = Baskets.class)
	static class DefaultGroupClient {

	}

	@Configuration(proxyBeanMethods = false)
	static class HandMadeClient {

		@Bean
		Baskets baskets(RestClient.Builder builder) {
			return HttpServiceProxyFactory
				.builderFor(RestClientAdapter.create(builder.baseUrl("http://localhost:1").build()))
				.build()
				.createClient(Baskets.class);
		}

	}

	/** A contract that is not annotated. */
	public interface Plain {

		@GetExchange("/plain")
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "plain", types = Plain.class)
	static class PlainClient {

	}

	@Configuration(proxyBeanMethods = false)
	@AffinityChannel(types = Plain.class, paths = "uds")
	@ImportHttpServices(group = "plain", types = Plain.class)
	static class ByTypes {

	}

	@Configuration(proxyBeanMethods = false)
	@AffinityChannel(groups = "plain")
	@ImportHttpServices(group = "plain", types = Plain.class)
	static class ByGroups {

	}

	@Configuration(proxyBeanMethods = false)
	@AffinityChannel(groups = "palin")
	@ImportHttpServices(group = "plain", types = Plain.class)
	static class WrongGroup {

	}

	@Configuration(proxyBeanMethods = false)
	@AffinityChannel(types = Runnable.class)
	static class WrongType {

	}

	@AffinityChannel
	interface PerMethod {

		@AffinityChannel(paths = "uds")
		@GetExchange("/plain")
		String get();

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(group = "plain", types = PerMethod.class)
	static class WithUselessMethod {

	}

	@AffinityChannel
	static class Useless {

	}

	@Configuration(proxyBeanMethods = false)
	@AffinityChannel(types = String.class)
	static class WrongKind {

	}

}
