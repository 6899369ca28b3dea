package io.github.vicinal.testkit;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.testkit.contract.BodiesContract;
import io.github.vicinal.testkit.contract.BodiesContract.Blob;
import io.github.vicinal.testkit.contract.BodiesContract.Item;
import io.github.vicinal.testkit.contract.BodiesContract.Picky;
import io.github.vicinal.testkit.contract.BodiesContract.Shape;
import io.github.vicinal.testkit.contract.KitContract;
import io.github.vicinal.testkit.contract.TimingContract;
import io.github.vicinal.testkit.contract.UntouchedContract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults of other frameworks when caller and callee were deployed together. Each test
 * names the issue of apache/dubbo in which it was reported.
 */
abstract class CoDeploymentBehaviours extends Behaviours {

	@Test
	@DisplayName("apache/dubbo#7555: an asynchronous call stays asynchronous")
	void dubbo7555AsyncStaysAsync() {
		TimingContract client = kit().path(TimingContract.class, KitClient.REACTIVE);
		String gate = newGate();
		CompletableFuture<String> future = client.futureWaitAt(gate);
		assertThat(control().awaitArrival(gate)).isTrue();
		assertThat(future).isNotDone();
		control().open(gate);
		assertThat(future).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("passed");
	}

	@Test
	@DisplayName("apache/dubbo#12377: a copied object without setters keeps its values")
	void dubbo12377CopyKeepsValues() {
		assertThat(same(BodiesContract.class, (client) -> client.picky(Picky.of("kept"))).value()).isEqualTo("kept");
		assertThat(same(BodiesContract.class, (client) -> client.pickyResult("kept").getText()).value())
			.isEqualTo("kept");
	}

	@Test
	@DisplayName("apache/dubbo#13720: a copied object whose state is not in bean properties keeps its values")
	void dubbo13720CopyKeepsForeignValues() {
		JsonNode tree = JsonMapper.builder().build().readTree("{\"a\":{\"b\":[1,\"two\",null]}}");
		assertThat(same(BodiesContract.class, (client) -> client.echoTree(tree).toString()).value())
			.isEqualTo("{\"a\":{\"b\":[1,\"two\",null]}}");
		Blob blob = new Blob("blob", new byte[] { 0, -1, 127, -128 });
		assertThat(same(BodiesContract.class, (client) -> client.echoBlob(blob)).value()).isEqualTo(blob);
	}

	@Test
	@DisplayName("apache/dubbo#14346: contract and types of another class loader work and cause no ClassCastException")
	void dubbo14346ForeignClassLoader() throws Exception {
		ForeignLoader loader = new ForeignLoader(getClass().getClassLoader());
		Class<?> contract = loader.loadClass(BodiesContract.class.getName());
		assertThat(contract).isNotSameAs(BodiesContract.class);
		Object oracle = kit().environment().overHttp(contract, KitClient.BLOCKING);
		Object proxy = kit().environment().onPath(contract, KitClient.BLOCKING);
		kit().warm(contract.getName(), () -> ping(contract, proxy), kit().environment().expectedPath());

		Class<?> itemType = loader.loadClass(Item.class.getName());
		Object item = itemType.getDeclaredConstructor(String.class, BigDecimal.class)
			.newInstance("foreign", new BigDecimal("1.10"));
		Object expected = contract.getMethod("echoItems", List.class).invoke(oracle, List.of(item));
		Object actual = contract.getMethod("echoItems", List.class).invoke(proxy, List.of(item));
		assertThat(actual).isEqualTo(expected).isEqualTo(List.of(item));

		Class<?> shapeType = loader.loadClass(Shape.class.getName());
		Object circle = loader.loadClass(BodiesContract.Circle.class.getName())
			.getDeclaredConstructor(double.class)
			.newInstance(1.5);
		Object shape = contract.getMethod("echoShape", shapeType).invoke(proxy, circle);
		assertThat(shape).isEqualTo(circle);
		assertThat(shape.getClass().getClassLoader()).isSameAs(loader);
		assertThat(path(BodiesContract.class).ping()).isEqualTo("bodies");
	}

	@Test
	@DisplayName("apache/dubbo#3638: a client of an address without a listener is not served by a neighbour")
	void dubbo3638OnlyTheAddressedPeerAnswers() {
		KitClient nowhere = KitClient.BLOCKING.withRestClient((builder) -> builder.baseUrl("http://localhost:1"));
		path(BodiesContract.class);
		BodiesContract oracle = kit().environment().overHttp(BodiesContract.class, nowhere);
		BodiesContract proxy = kit().environment().onPath(BodiesContract.class, nowhere);
		for (int i = 0; i < 3; i++) {
			kit().outcome(oracle::ping).failure(ResourceAccessException.class);
			kit().outcome(proxy::ping).failure(ResourceAccessException.class);
		}
		assertThat(path(BodiesContract.class).ping()).isEqualTo("bodies");
	}

	@Test
	@DisplayName("apache/dubbo#13672: contracts that share a method are not mistaken for one another")
	void dubbo13672ContractsAreNotConfused() {
		for (Class<? extends KitContract> contract : List.of(BodiesContract.class, TimingContract.class,
				UntouchedContract.class)) {
			Outcome outcome = same(contract, KitContract::ping);
			String name = contract.getSimpleName().replace("Contract", "").toLowerCase(Locale.ROOT);
			assertThat(outcome.value()).isEqualTo(name);
		}
	}

	@Test
	@DisplayName("apache/dubbo#11531: the path is chosen at each call, the first call included")
	void dubbo11531ChosenAtRunTime() {
		UntouchedContract proxy = kit().environment().onPath(UntouchedContract.class, KitClient.BLOCKING);
		kit().environment().drainCalls();
		assertThat(proxy.ping()).isEqualTo("untouched");
		List<CarriedCall> first = kit().awaitCalls();
		assertThat(first).hasSize(1);
		kit().warm(UntouchedContract.class.getName(), proxy::ping, kit().environment().expectedPath());
		kit().environment().stopServer(KitEnvironment.Ending.ORDERLY);
		kit().environment().startServer();
		kit().warm(UntouchedContract.class.getName(), proxy::ping, kit().environment().expectedPath());
		assertThat(proxy.ping()).isEqualTo("untouched");
	}

	@SuppressWarnings("RethrowReflectiveOperationExceptionAsLinkageError")
	private static void ping(Class<?> contract, Object proxy) {
		try {
			Method ping = contract.getMethod("ping");
			assertThat(ping.invoke(proxy)).isEqualTo("bodies");
		}
		catch (ReflectiveOperationException ex) {
			throw new AssertionError(ex);
		}
	}

}
