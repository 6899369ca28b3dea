package io.github.vicinal.transport.shm;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** A pair that is there needs no further file descriptors to make its calls. */
@Timeout(120)
class DescriptorTests {

	@Test
	void callsNeedNoDescriptors() throws Exception {
		Path directory = ShmFixture.memoryDirectory();
		List<String> said = DescriptorChild.run(directory);
		assertThat(said).last().asString().startsWith("ok, filled with");
		ShmFixture.assertEmptyAndDelete(directory);
	}

}
