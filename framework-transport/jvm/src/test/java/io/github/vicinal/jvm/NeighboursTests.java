package io.github.vicinal.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class NeighboursTests {

	private final String id = UUID.randomUUID().toString();

	private final Neighbour neighbour = new Silent();

	@AfterEach
	void remove() {
		Neighbours.remove(this.id, this.neighbour);
	}

	@Test
	void isFoundFromItsRegistrationToItsRemoval() {
		assertThat(Neighbours.find(this.id)).isNull();
		Neighbours.register(this.id, this.neighbour);
		assertThat(Neighbours.find(this.id)).isSameAs(this.neighbour);
		assertThat(Neighbours.remove(this.id, this.neighbour)).isTrue();
		assertThat(Neighbours.find(this.id)).isNull();
		assertThat(Neighbours.remove(this.id, this.neighbour)).isFalse();
	}

	@Test
	void idIsTakenOnce() {
		Neighbours.register(this.id, this.neighbour);
		assertThatIllegalStateException().isThrownBy(() -> Neighbours.register(this.id, new Silent()))
			.withMessageContaining(this.id);
		assertThat(Neighbours.find(this.id)).isSameAs(this.neighbour);
	}

	@Test
	void anotherOfTheSameIdIsNotRemoved() {
		Neighbours.register(this.id, this.neighbour);
		assertThat(Neighbours.remove(this.id, new Silent())).isFalse();
		assertThat(Neighbours.find(this.id)).isSameAs(this.neighbour);
	}

	@Test
	void listenersAreToldOfRemovals() {
		List<Neighbour> removed = new ArrayList<>();
		Consumer<Neighbour> listener = (neighbour) -> {
			assertThat(Neighbours.find(this.id)).isNull();
			removed.add(neighbour);
		};
		Neighbours.addListener(listener);
		try {
			Neighbours.register(this.id, this.neighbour);
			Neighbours.remove(this.id, new Silent());
			assertThat(removed).isEmpty();
			Neighbours.remove(this.id, this.neighbour);
			assertThat(removed).containsExactly(this.neighbour);
		}
		finally {
			Neighbours.removeListener(listener);
		}
		Neighbours.register(this.id, this.neighbour);
		Neighbours.remove(this.id, this.neighbour);
		assertThat(removed).containsExactly(this.neighbour);
	}

	private static final class Silent implements Neighbour {

		@Override
		public Session open() {
			return (frame, length) -> new byte[0];
		}

		@Override
		public Executor executor() {
			return Runnable::run;
		}

		@Override
		public boolean enter() {
			return true;
		}

		@Override
		public boolean leave() {
			return false;
		}

		@Override
		public boolean closed() {
			return false;
		}

	}

}
