package io.github.vicinal.transport.multiplex;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.PathException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(30)
class SharedConnectionsTests {

	private final SharedConnections<ClientEnd> connections = new SharedConnections<>();

	private final List<String> events = new ArrayList<>();

	private boolean open = true;

	private boolean fails;

	/** Each end of a connection asks for the connections, from another thread. */
	private ClientEnd connection() {
		return (ClientEnd) Proxy.newProxyInstance(ClientEnd.class.getClassLoader(), new Class<?>[] { ClientEnd.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "isOpen" -> this.open;
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == arguments[0];
					case "leave", "close" -> {
						this.events.add(method.getName());
						CompletableFuture.supplyAsync(this.connections::all).get(10, TimeUnit.SECONDS);
						yield null;
					}
					default -> throw new AssertionError(method);
				});
	}

	private ClientEnd acquire(String peer) throws ConnectionException {
		return this.connections.acquire(peer, new SharedConnections.Opener<>() {

			@Override
			public ClientEnd create() {
				return connection();
			}

			@Override
			public void open(ClientEnd connection) throws ConnectionException {
				SharedConnectionsTests.this.events.add("open");
				if (SharedConnectionsTests.this.fails) {
					throw ConnectionException.of(Reason.PEER_GONE, false, "nobody there", null);
				}
			}

		});
	}

	@Test
	void connectionEndsWithItsLastUserAndOutsideOfTheLock() throws ConnectionException {
		ClientEnd first = acquire("a");
		assertThat(acquire("a")).isSameAs(first);
		assertThat(acquire("b")).isNotSameAs(first);
		this.connections.release(first);
		assertThat(this.connections.all()).hasSize(2);
		this.connections.release(first);
		assertThat(this.events).containsExactly("open", "open", "leave");
		assertThat(this.connections.all()).hasSize(1).doesNotContain(first);
	}

	@Test
	void connectionThatHasEndedIsReplacedWhileItsUsersLeave() throws ConnectionException {
		ClientEnd first = acquire("a");
		this.open = false;
		ClientEnd second = acquire("a");
		assertThat(second).isNotSameAs(first);
		this.connections.release(first);
		assertThat(this.connections.all()).containsExactly(second);
		assertThat(this.events).containsExactly("open", "open", "leave");
	}

	@Test
	void connectionThatCannotBeOpenedIsClosed() throws ConnectionException {
		this.fails = true;
		assertThatExceptionOfType(ConnectionException.class).isThrownBy(() -> acquire("a"));
		assertThat(this.events).containsExactly("open", "close");
		assertThat(this.connections.all()).isEmpty();
	}

	@Test
	void closingEndsAllOutsideOfTheLockAndGivesNoMore() throws ConnectionException {
		acquire("a");
		acquire("b");
		this.connections.close();
		assertThat(this.events).containsExactly("open", "open", "close", "close");
		assertThat(acquire("a")).isNull();
	}

}
