package io.github.vicinal.testkit.server;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.vicinal.testkit.contract.BodiesContract.Bean;
import io.github.vicinal.testkit.contract.StateContract;

import org.springframework.web.bind.annotation.RestController;

@RestController
class StateController implements StateContract {

	private volatile Bean bean = new Bean();

	private volatile List<String> list = List.of();

	private volatile Map<String, List<String>> map = Map.of();

	private volatile byte[] bytes = {};

	private volatile Wrapped wrapped = new Wrapped("", List.of(), new Bean());

	@Override
	public String ping() {
		return "state";
	}

	@Override
	public Bean keepBean(Bean bean) {
		this.bean = bean;
		return bean;
	}

	@Override
	public Bean keptBean() {
		return this.bean;
	}

	@Override
	public List<String> keepList(List<String> values) {
		this.list = values;
		return values;
	}

	@Override
	public List<String> keptList() {
		return this.list;
	}

	@Override
	public Map<String, List<String>> keepMap(Map<String, List<String>> values) {
		this.map = values;
		return values;
	}

	@Override
	public Map<String, List<String>> keptMap() {
		return this.map;
	}

	@Override
	public byte[] keepBytes(byte[] values) {
		this.bytes = values;
		return values;
	}

	@Override
	public byte[] keptBytes() {
		return this.bytes;
	}

	@Override
	public Wrapped keepWrapped(Wrapped wrapped) {
		this.wrapped = wrapped;
		return wrapped;
	}

	@Override
	public Wrapped keptWrapped() {
		return this.wrapped;
	}

	@Override
	public String spoilBean(Bean bean) {
		bean.spoil();
		return bean.describe();
	}

	@Override
	public String spoilList(List<List<String>> values) {
		values.get(0).add("spoilt");
		values.remove(values.size() - 1);
		return values.toString();
	}

	@Override
	public String spoilBytes(byte[] values) {
		Arrays.fill(values, (byte) -1);
		return "spoilt";
	}

	@Override
	public String spoilWrapped(Wrapped wrapped) {
		wrapped.values().clear();
		wrapped.bean().spoil();
		return wrapped.bean().describe();
	}

}
