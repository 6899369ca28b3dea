package io.github.vicinal.topic;

import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.codec.EncodeBuffer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MessageCodecTests {

	@Test
	void aPayloadThatCannotBeWrittenIsNamedWithAReasonAndARemedy() {
		MessageCodec<List<Object>> codec = MessageCodec.of(List.class, JsonMapper.shared());
		List<Object> cycle = new ArrayList<>();
		cycle.add(cycle);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> codec.encode(cycle, new EncodeBuffer(16)))
			.satisfies((failure) -> assertThat(failure.getMessage()).contains("java.util.ArrayList", "as JSON: ",
					"Publish a type that the application's JsonMapper can write"));
	}

}
