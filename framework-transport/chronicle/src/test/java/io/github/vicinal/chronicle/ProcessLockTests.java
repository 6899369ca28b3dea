package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.chronicle.ProcessLock.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ProcessLockTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@TempDir
	private Path directory;

	private int counter;

	private ProcessLock lock(Alive alive) throws Exception {
		return ProcessLock.open(this.directory.resolve("lock"), this.directory, alive);
	}

	@Test
	void oneHasItAtATime() throws Exception {
		try (Alive first = Alive.open(this.directory); Alive second = Alive.open(this.directory)) {
			List<CompletableFuture<Void>> all = new ArrayList<>();
			// The last two are one process.
			for (ProcessLock lock : List.of(lock(first), lock(second), lock(second))) {
				all.add(CompletableFuture.runAsync(() -> count(lock), (task) -> new Thread(task).start()));
			}
			all.forEach(CompletableFuture::join);
			assertThat(this.counter).isEqualTo(30_000);
		}
	}

	private void count(ProcessLock lock) {
		for (int i = 0; i < 10_000; i++) {
			assertThat(lock.lock(PATIENCE)).isEqualTo(Outcome.LOCKED);
			this.counter++;
			lock.unlock();
		}
	}

	@Test
	void thatOfALivingProcessIsLeftToIt() throws Exception {
		try (Alive living = Alive.open(this.directory); Alive asking = Alive.open(this.directory)) {
			ProcessLock held = lock(living);
			held.lock(PATIENCE);
			assertThat(lock(asking).lock(Duration.ofMillis(20))).isEqualTo(Outcome.HELD_BY_ANOTHER);
			assertThat(lock(asking).lock(Duration.ZERO)).isEqualTo(Outcome.HELD_BY_ANOTHER);
			held.unlock();
			assertThat(lock(asking).lock(Duration.ZERO)).isEqualTo(Outcome.LOCKED);
		}
	}

	@Test
	void thatOfADeadProcessIsTakenOverOnce() throws Exception {
		Alive dead = Alive.open(this.directory);
		lock(dead).lock(PATIENCE);
		dead.close();
		try (Alive asking = Alive.open(this.directory)) {
			ProcessLock lock = lock(asking);
			assertThat(lock.lock(Duration.ZERO)).isEqualTo(Outcome.TAKEN_OVER);
			lock.unlock();
			assertThat(lock.lock(Duration.ZERO)).isEqualTo(Outcome.LOCKED);
		}
	}

}
