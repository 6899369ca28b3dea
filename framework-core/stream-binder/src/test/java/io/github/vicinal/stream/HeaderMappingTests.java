package io.github.vicinal.stream;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.UUID;

import io.github.vicinal.boot.topic.TopicHeaders;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.MessageHeaders;
import org.springframework.util.MimeTypeUtils;

import static org.assertj.core.api.Assertions.assertThat;

class HeaderMappingTests {

	@Test
	void valuesKeepTheirTypes() {
		UUID uuid = UUID.randomUUID();
		Map<String, Object> headers = Map.of("text", "a", "yes", true, "short", (short) 1, "int", 2, "long", 3L,
				"double", 0.1, "integer", new BigInteger("12345678901234567890"), "decimal", new BigDecimal("0.10"),
				"uuid", uuid);
		assertThat(HeaderMapping.fromTopic(HeaderMapping.toTopic(headers))).isEqualTo(headers);
		byte[] bytes = { 0, -1, 7 };
		assertThat((byte[]) HeaderMapping.fromTopic(HeaderMapping.toTopic(Map.of("bytes", bytes))).get("bytes"))
			.isEqualTo(bytes);
	}

	@Test
	void theContentTypeIsText() {
		assertThat(HeaderMapping.toTopic(Map.of(MessageHeaders.CONTENT_TYPE, MimeTypeUtils.APPLICATION_JSON)))
			.isEqualTo(Map.of("contentType", "application/json"));
	}

	@Test
	void headersOfOneProcessStay() {
		assertThat(HeaderMapping.toTopic(Map.of("id", UUID.randomUUID(), "timestamp", 1L, "replyChannel", "a", "object",
				new Object(), "scst_partition", 1, TopicHeaders.SEQUENCE, 7L, "mine", 1)))
			.isEqualTo(Map.of("mine", "1", "vicinal-type-mine", "integer"));
	}

	@Test
	void aValueThatIsNotWhatItClaimsIsText() {
		assertThat(HeaderMapping.fromTopic(Map.of("a", "x", "vicinal-type-a", "integer", "b", "y", "vicinal-type-b",
				"java.lang.Runtime", "c", "!", "vicinal-type-c", "bytes", "id", "z", "d", "perhaps")))
			.isEqualTo(Map.of("a", "x", "b", "y", "c", "!", "d", "perhaps"));
		assertThat(HeaderMapping.fromTopic(Map.of("a", "perhaps", "vicinal-type-a", "boolean")))
			.isEqualTo(Map.of("a", "perhaps"));
	}

}
