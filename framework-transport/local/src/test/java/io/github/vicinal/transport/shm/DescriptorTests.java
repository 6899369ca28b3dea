package io.github.vicinal.transport.shm;

import java.nio.file.Path;
import java.util.List;

import io.github.vicinal.transport.shm.bell.FifoBells;
import io.github.vicinal.transport.shm.bell.SocketBells;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A pair that is there needs no further file descriptors to make its calls. */
@Timeout(120)
class DescriptorTests {

	@ParameterizedTest
	@ValueSource(strings = { FifoBells.KIND, SocketBells.KIND })
	void callsNeedNoDescriptors(String bells) throws Exception {
		Path directory = ShmFixture.memoryDirectory();
		List<String> said = DescriptorChild.run(directory, bells);
		// A thread that ends late may still log after it.
		assertThat(said).filteredOn((line) -> line.startsWith("ok, filled with")).hasSize(1);
		ShmFixture.assertEmptyAndDelete(directory);
	}

}
