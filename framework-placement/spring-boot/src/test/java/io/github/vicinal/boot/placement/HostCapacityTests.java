package io.github.vicinal.boot.placement;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class HostCapacityTests {

	@ParameterizedTest
	@CsvSource(delimiter = ';', value = { "0; 1", "0-3; 4", "0-3,8; 5", "0-1,4-5,127; 5", "''; 0", "-; 0", "0-; 0",
			"3-1; 0", "0-999999; 0", "0,,1; 0", "two; 0", "99999999999; 0" })
	void processorsAreCountedAsLinuxListsThem(String online, int processors) {
		assertThat(HostCapacity.processors(online + "\n")).isEqualTo(processors);
	}

	@Test
	void memoryIsTheTotal() {
		assertThat(HostCapacity.memoryMib("MemTotal:       16384000 kB\nMemFree:  100 kB\n")).isEqualTo(16_000);
		assertThat(HostCapacity.memoryMib("MemFree:  100 kB\n")).isZero();
		assertThat(HostCapacity.memoryMib("MemTotal: 99999999999999999999 kB")).isZero();
	}

	@Test
	void theJvmsWordIsTheLeast() {
		assertThat(HostCapacity.read(90_000, 1L << 50)).isEqualTo(new HostCapacity(90_000, 1L << 50));
		HostCapacity host = HostCapacity.read(1, 1);
		assertThat(host.processors()).isGreaterThanOrEqualTo(1);
		assertThat(host.memoryMib()).isPositive();
	}

}
