package io.github.vicinal.boot.test;

import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.CacheableCall;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/** The slice has the caches of calls that the application has. */
@ChannelTest
class CachedCallTests {

	private static final FakeRates RATES = new FakeRates();

	private static final StubServer SERVER = StubServer.serving(RATES);

	@Autowired
	private Rates rates;

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry registry) {
		registry.add("spring.http.serviceclient.rates.base-url", SERVER::url);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Test
	void answersAreCached() {
		assertThat(this.rates.rate("EUR")).isEqualTo(this.rates.rate("EUR"));
		assertThat(RATES.calls).hasValue(1);
	}

	@AffinityChannel
	interface Rates {

		@CacheableCall(expireAfterWrite = "5m")
		@GetExchange("/rates/{currency}")
		Rate rate(@PathVariable String currency);

		record Rate(String currency, long number) {
		}

	}

	@RestController
	static class FakeRates implements Rates {

		private final AtomicLong calls = new AtomicLong();

		@Override
		public Rate rate(String currency) {
			return new Rate(currency, this.calls.incrementAndGet());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "rates", types = Rates.class)
	static class Application {

	}

}
