package io.github.vicinal.testkit;

import java.util.List;

import io.github.vicinal.testkit.contract.GenericContract;
import io.github.vicinal.testkit.contract.KitContract;
import io.github.vicinal.testkit.contract.ShapesContract;
import io.github.vicinal.testkit.contract.ShapesContract.Thing;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interfaces may have everything that Java lets them have.
 */
abstract class InterfaceBehaviours extends Behaviours {

	@Test
	@DisplayName("overloaded methods are distinguished by their parameter types")
	void overloads() {
		assertThat(same(ShapesContract.class, (client) -> client.overloaded()).value()).isEqualTo("none");
		assertThat(same(ShapesContract.class, (client) -> client.overloaded("7")).value()).isEqualTo("text 7");
		assertThat(same(ShapesContract.class, (client) -> client.overloaded(7L)).value()).isEqualTo("number 7");
		assertThat(same(ShapesContract.class, (client) -> client.overloaded(List.of(new Thing(1, "a")))).value())
			.isEqualTo("things [Thing[id=1, name=a]]");
	}

	@Test
	@DisplayName("methods with the same path are distinguished by HTTP method and headers")
	void samePath() {
		assertThat(sameAnywhere(ShapesContract.class, (client) -> client.sameByName("a")).value())
			.isEqualTo("by name a");
		assertThat(sameAnywhere(ShapesContract.class, (client) -> client.sameBySize(3)).value()).isEqualTo("by size 3");
		assertThat(same(ShapesContract.class, (client) -> client.samePosted(new Thing(1, "a"))).value())
			.isEqualTo("posted Thing[id=1, name=a]");
	}

	@Test
	@DisplayName("a default method runs at the client and calls from there, even if the server overrides it")
	void defaultMethods() {
		assertThat(sameSeveral(ShapesContract.class, (client) -> client.twice("x")).value()).isEqualTo("text xtext x");
		assertThat(same(ShapesContract.class, (client) -> client.saveNamed("n")).value())
			.isEqualTo(new Thing(1, "n, saved"));
	}

	@Test
	@DisplayName("methods of a generic super-interface are called with the types of the sub-interface")
	void genericSuperInterface() {
		assertThat(same(ShapesContract.class, (client) -> client.find(7L)).value())
			.isEqualTo(new Thing(7, "found by Long"));
		assertThat(same(ShapesContract.class, (client) -> client.saveAll(List.of(new Thing(1, "a")))).value())
			.isEqualTo(List.of(new Thing(2, "a, saved")));
	}

	@Test
	@DisplayName("a method that narrows a generic one is called once, by its bridge, too")
	@SuppressWarnings({ "unchecked", "rawtypes" })
	void bridgeMethods() {
		assertThat(same(ShapesContract.class, (client) -> client.save(new Thing(1, "a"))).value())
			.isEqualTo(new Thing(2, "a, saved"));
		Outcome outcome = same(ShapesContract.class, (client) -> {
			GenericContract general = client;
			return general.save(new Thing(3, "b"));
		});
		assertThat(outcome.value()).isEqualTo(new Thing(4, "b, saved"));
	}

	@Test
	@DisplayName("a method may be called through the interface that declares it")
	void inheritedMethod() {
		assertThat(same(ShapesContract.class, (client) -> ((KitContract) client).ping()).value()).isEqualTo("shapes");
	}

	@Test
	@DisplayName("toString, hashCode and equals of a proxy make no call")
	void objectMethods() {
		ShapesContract proxy = path(ShapesContract.class);
		ShapesContract other = kit().environment().onPath(ShapesContract.class, KitClient.BLOCKING);
		kit().environment().drainCalls();
		kit().outcome(() -> proxy.toString().isEmpty())
			.assertSameAs(kit().outcome(() -> http(ShapesContract.class).toString().isEmpty()));
		assertThat(proxy.hashCode()).isEqualTo(proxy.hashCode());
		assertThat(proxy.equals(proxy)).isTrue();
		assertThat(proxy.equals(other)).isFalse();
		assertThat(kit().environment().drainCalls()).isEmpty();
	}

	@Test
	@DisplayName("two proxies of one contract work side by side, also when configured differently")
	void twoProxies() {
		ShapesContract first = path(ShapesContract.class);
		ShapesContract second = kit().environment().onPath(ShapesContract.class, KitClient.BLOCKING);
		ShapesContract third = kit().environment().onPath(ShapesContract.class, KitClient.REACTIVE);
		int before = first.pings();
		assertThat(second.pings()).isEqualTo(before + 1);
		assertThat(third.pings()).isEqualTo(before + 2);
		assertThat(first.pings()).isEqualTo(before + 3);
	}

	@Test
	@DisplayName("each call is executed once")
	void executedOnce() {
		ShapesContract proxy = path(ShapesContract.class);
		int before = http(ShapesContract.class).pings();
		for (int i = 1; i <= 100; i++) {
			assertThat(proxy.pings()).isEqualTo(before + i);
		}
	}

	@Test
	@DisplayName("a wrong type behind unchecked generics fails as over HTTP")
	@SuppressWarnings({ "unchecked", "rawtypes" })
	void heapPollution() {
		ShapesContract proxy = path(ShapesContract.class);
		List polluted = List.of("not a thing");
		Outcome expected = kit().outcome(() -> http(ShapesContract.class).saveAll(polluted));
		kit().outcome(() -> proxy.saveAll(polluted)).assertSameAs(expected);
		assertThat(expected.returned()).isFalse();
	}

}
