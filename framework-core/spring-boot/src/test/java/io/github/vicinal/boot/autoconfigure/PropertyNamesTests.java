package io.github.vicinal.boot.autoconfigure;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class PropertyNamesTests {

	private static void start(String... properties) {
		new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run(Arrays.stream(properties).map((each) -> "--" + each).toArray(String[]::new))
			.close();
	}

	@ParameterizedTest
	@CsvSource({ "vicinal.confirm-intervall,vicinal.confirm-interval", "vicinal.codec.flatt,vicinal.codec.flat",
			"vicinal.rendezvous.dir,vicinal.rendezvous.directory", "vicinal.chanels.shop.paths,vicinal.channels",
			"vicinal.server.path,vicinal.server.paths", "vicinal.https.localpath,vicinal.https.local-paths" })
	void aMisspeltNameIsNamedWithTheNearOnes(String name, String near, CapturedOutput output) {
		start(name + "=x");
		assertThat(output).contains("Property " + name + " does not exist and does nothing. Did you mean ")
			.containsPattern("Did you mean [^?]*" + near);
	}

	@Test
	void aNameThatResemblesNoneIsNamedWithThoseOfItsGroup(CapturedOutput output) {
		start("vicinal.codec.implementation=x");
		assertThat(output)
			.contains("Property vicinal.codec.implementation does not exist and does nothing; the names there are "
					+ "[vicinal.codec.flat]");
	}

	@ParameterizedTest
	@CsvSource({ "vicinal.topics.named.prices.when-ful,vicinal.topics.named.prices.when-full",
			"vicinal.topics.named.prices.eu.capasity,vicinal.topics.named.prices.eu.capacity",
			"vicinal.topics.named.prices.subscriber[0],vicinal.topics.named.prices.subscribers" })
	void aMisspeltSettingOfANamedThingIsNamedWithTheNearOnes(String name, String near, CapturedOutput output) {
		start(name + "=x");
		assertThat(output)
			.contains("Property " + name + " does not exist and does nothing. Did you mean " + near + "?");
	}

	@Test
	void aSettingOfANamedThingThatResemblesNoneIsNamedWithAll(CapturedOutput output) {
		start("vicinal.topics.named.prices.size=x");
		assertThat(output).contains("Property vicinal.topics.named.prices.size does not exist and does nothing; "
				+ "the names there are [vicinal.topics.named.prices.capacity, vicinal.topics.named.prices.when-full, ");
	}

	/** The module tcp is not there, and the request server looks at its names itself. */
	@ParameterizedTest
	@ValueSource(strings = { "vicinal.tcp.port=1", "vicinal.channels.shop.paths=http", "vicinal.codec.flat=true",
			"vicinal.http-exchanges.peers[0]=shop", "vicinal.httpExchanges.enabled=false", "vicinal.codec.FLAT=true",
			"vicinal.topics.named.prices.capacity=1MB", "vicinal.topics.named.prices.eu.when-full=block",
			"vicinal.topics.named.prices.whenFull=block", "vicinal.topics.named.prices.publishers[0]=shop",
			"vicinal.channels.shop.instances[0]=http://a", "vicinal.server.requests.x=1", "vicinalx.y=1" })
	void othersAreNotReported(String property, CapturedOutput output) {
		start(property, "vicinal.enabledd=true");
		assertThat(output).contains("Property vicinal.enabledd does not exist").containsOnlyOnce("does not exist");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(VicinalAutoConfiguration.class)
	static class Application {

	}

}
