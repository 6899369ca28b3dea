package io.github.vicinal.boot.contract;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.AffinityChannel.Idempotence;
import io.github.vicinal.contract.Contract;
import org.junit.jupiter.api.Test;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

import static org.assertj.core.api.Assertions.assertThat;

class ExchangeContractReaderTests {

	private static boolean mayBeRepeated(Contract contract, String name) {
		return contract.methods()
			.stream()
			.filter((method) -> method.method().getName().equals(name))
			.findFirst()
			.orElseThrow()
			.idempotent();
	}

	@Test
	void annotationsOfAContractApplyToMethodsWithoutTheirOwn() {
		Contract queries = ExchangeContractReader.contract(Queries.class);
		assertThat(mayBeRepeated(queries, "search")).isTrue();
		assertThat(mayBeRepeated(queries, "order")).isFalse();
		assertThat(mayBeRepeated(queries, "byHttp")).as("said something else of the method").isTrue();
		Contract counters = ExchangeContractReader.contract(Counters.class);
		assertThat(mayBeRepeated(counters, "next")).isFalse();
		assertThat(mayBeRepeated(counters, "now")).isTrue();
	}

	@Test
	void soDoesWhatAConfigurationClassSaysOfAContract() {
		AffinityChannel said = AnnotatedElementUtils.findMergedAnnotation(Configured.class, AffinityChannel.class);
		assertThat(mayBeRepeated(ExchangeContractReader.contract(Plain.class), "search")).isFalse();
		assertThat(mayBeRepeated(ExchangeContractReader.contract(Plain.class, said), "search")).isTrue();
	}

	@AffinityChannel(idempotent = Idempotence.YES)
	@HttpExchange("/queries")
	interface Queries {

		@PostExchange("/search")
		String search();

		@AffinityChannel(idempotent = Idempotence.NO)
		@PostExchange("/order")
		String order();

		@AffinityChannel
		@PostExchange("/other")
		String byHttp();

	}

	@AffinityChannel(idempotent = Idempotence.NO)
	@HttpExchange("/counters")
	interface Counters {

		@GetExchange("/next")
		long next();

		@AffinityChannel(idempotent = Idempotence.YES)
		@GetExchange("/now")
		long now();

	}

	@HttpExchange("/plain")
	interface Plain {

		@PostExchange("/search")
		String search();

	}

	@AffinityChannel(types = Plain.class, idempotent = Idempotence.YES)
	static class Configured {

	}

}
