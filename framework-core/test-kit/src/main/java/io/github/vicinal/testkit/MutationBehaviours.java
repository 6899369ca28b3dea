package io.github.vicinal.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.testkit.contract.BodiesContract.Bean;
import io.github.vicinal.testkit.contract.StateContract;
import io.github.vicinal.testkit.contract.StateContract.Wrapped;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No mutable value is shared: neither side sees changes that the other makes during or
 * after the call.
 */
abstract class MutationBehaviours extends Behaviours {

	@Test
	@DisplayName("a bean that the callee changes stays as it was at the caller")
	void calleeChangesBean() {
		assertThat(same(StateContract.class, (client) -> {
			Bean bean = nestedBean();
			String spoilt = client.spoilBean(bean);
			return bean.describe() + " | " + spoilt;
		}).value()).asString().startsWith("outer 42 [tag]").contains("spoilt");
	}

	@Test
	@DisplayName("a list of lists that the callee changes stays as it was at the caller")
	void calleeChangesList() {
		assertThat(same(StateContract.class, (client) -> {
			List<List<String>> values = new ArrayList<>();
			values.add(new ArrayList<>(List.of("a")));
			values.add(new ArrayList<>(List.of("b")));
			return client.spoilList(values) + " " + values;
		}).value()).isEqualTo("[[a, spoilt]] [[a], [b]]");
	}

	@Test
	@DisplayName("a list that is fixed at the caller can be changed by the callee")
	void calleeChangesFixedList() {
		assertThat(same(StateContract.class, (client) -> client.spoilList(List.of(List.of("a"), List.of("b")))).value())
			.isEqualTo("[[a, spoilt]]");
	}

	@Test
	@DisplayName("an array that the callee changes stays as it was at the caller")
	void calleeChangesArray() {
		assertThat(same(StateContract.class, (client) -> {
			byte[] bytes = { 1, 2, 3 };
			return client.spoilBytes(bytes) + Arrays.toString(bytes);
		}).value()).isEqualTo("spoilt[1, 2, 3]");
	}

	@Test
	@DisplayName("mutable parts of a record that the callee changes stay as they were at the caller")
	void calleeChangesPartsOfRecord() {
		assertThat(same(StateContract.class, (client) -> {
			Wrapped wrapped = new Wrapped("w", new ArrayList<>(List.of("v")), nestedBean());
			client.spoilWrapped(wrapped);
			return wrapped.values() + wrapped.bean().describe();
		}).value()).asString().startsWith("[v]outer 42");
	}

	@Test
	@DisplayName("a bean that the caller changes after the call stays as it was at the callee")
	void callerChangesBean() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			Bean bean = nestedBean();
			client.keepBean(bean);
			bean.spoil();
			return client.keptBean().describe();
		}).value()).asString().startsWith("outer 42 [tag]");
	}

	@Test
	@DisplayName("a list that the caller changes after the call stays as it was at the callee")
	void callerChangesList() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			List<String> list = new ArrayList<>(List.of("a"));
			client.keepList(list);
			list.add("b");
			return client.keptList();
		}).value()).isEqualTo(List.of("a"));
	}

	@Test
	@DisplayName("a map of lists that the caller changes after the call stays as it was at the callee")
	void callerChangesMap() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			Map<String, List<String>> map = new HashMap<>();
			map.put("k", new ArrayList<>(List.of("a")));
			client.keepMap(map);
			map.getOrDefault("k", List.of()).add("b");
			map.put("l", List.of());
			return client.keptMap();
		}).value()).isEqualTo(Map.of("k", List.of("a")));
	}

	@Test
	@DisplayName("an array that the caller changes after the call stays as it was at the callee")
	void callerChangesArray() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			byte[] bytes = { 1, 2, 3 };
			byte[] answer = client.keepBytes(bytes);
			bytes[0] = 9;
			answer[1] = 9;
			return Arrays.toString(client.keptBytes());
		}).value()).isEqualTo("[1, 2, 3]");
	}

	@Test
	@DisplayName("a result that the caller changes stays as it was at the callee")
	void callerChangesResult() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			client.keepBean(nestedBean());
			client.keptBean().spoil();
			client.keepList(new ArrayList<>(List.of("a")));
			client.keptList().add("b");
			client.keepMap(new HashMap<>(Map.of("k", new ArrayList<>(List.of("a")))));
			client.keptMap().clear();
			return client.keptBean().describe() + client.keptList() + client.keptMap();
		}).value()).asString().startsWith("outer 42 [tag]").endsWith("[a]{k=[a]}");
	}

	@Test
	@DisplayName("mutable parts of a record that is a result stay as they were at the callee")
	void callerChangesPartsOfResult() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			Wrapped echoed = client.keepWrapped(new Wrapped("w", new ArrayList<>(List.of("v")), nestedBean()));
			echoed.values().clear();
			echoed.bean().spoil();
			Wrapped kept = client.keptWrapped();
			return kept.values() + kept.bean().describe();
		}).value()).asString().startsWith("[v]outer 42");
	}

	@Test
	@DisplayName("an argument that comes straight back is another object")
	void echoIsACopy() {
		assertThat(same(StateContract.class, (client) -> {
			Bean bean = nestedBean();
			return client.keepBean(bean) == bean;
		}).value()).isEqualTo(false);
	}

	@Test
	@DisplayName("two callers of the same result get two objects")
	void resultsAreNotShared() {
		assertThat(sameSeveral(StateContract.class, (client) -> {
			client.keepBean(nestedBean());
			Bean first = client.keptBean();
			Bean second = client.keptBean();
			first.spoil();
			return (first == second) + second.describe();
		}).value()).asString().startsWith("falseouter 42");
	}

	private static Bean nestedBean() {
		Bean bean = Bean.named("outer");
		bean.setNested(Bean.named("inner"));
		return bean;
	}

}
