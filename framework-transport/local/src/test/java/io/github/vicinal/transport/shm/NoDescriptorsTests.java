package io.github.vicinal.transport.shm;

import java.nio.file.Path;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

/** Servers whose process has no file descriptors left, and later some again. */
@Timeout(120)
class NoDescriptorsTests {

	@Test
	void serversSlowDownAndSayOnceWhatToDo() throws Exception {
		Path directory = ShmFixture.memoryDirectory();
		List<String> said = NoDescriptorsChild.run(directory);
		assertThat(said).as(String.join("\n", said)).last().isEqualTo("ok");
		assertThat(said).filteredOn((line) -> line.contains("could not be accepted"))
			// One line for each server that found none; another's closed file may have
			// freed one.
			.hasSizeBetween(1, 2)
			.allSatisfy((line) -> assertThat(line).contains("WARN").contains("raise the limit of open files"));
		assertThat(said).filteredOn((line) -> line.startsWith("unavailable:"))
			.isNotEmpty()
			.allSatisfy((line) -> assertThat(line).contains("raise the limit of open files")
				.doesNotContain("let this user create files"));
		assertThat(said).filteredOn((line) -> line.startsWith("directory:"))
			.singleElement(as(InstanceOfAssertFactories.STRING))
			.contains("Too many open files: raise the limit of open files of this process")
			.doesNotContain("Mount point");
		assertThat(said).contains("afterwards: can be used");
		ShmFixture.assertEmptyAndDelete(directory);
	}

}
