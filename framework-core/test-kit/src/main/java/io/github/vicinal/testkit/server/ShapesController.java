package io.github.vicinal.testkit.server;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.testkit.contract.ShapesContract;
import io.github.vicinal.testkit.contract.VolumeContract;

import org.springframework.web.bind.annotation.RestController;

@RestController
class ShapesController implements ShapesContract {

	private final KitPeers peers;

	private final AtomicInteger calls = new AtomicInteger();

	ShapesController(KitPeers peers) {
		this.peers = peers;
	}

	@Override
	public String ping() {
		return "shapes";
	}

	@Override
	public Thing find(Long key) {
		return new Thing(key, "found by " + key.getClass().getSimpleName());
	}

	@Override
	public Thing save(Thing value) {
		return new Thing(value.id() + 1, value.name() + ", saved");
	}

	@Override
	public List<Thing> saveAll(List<Thing> values) {
		return values.stream().map(this::save).toList();
	}

	@Override
	public String overloaded() {
		return "none";
	}

	@Override
	public String overloaded(String value) {
		return "text " + value;
	}

	@Override
	public String overloaded(long value) {
		return "number " + value;
	}

	@Override
	public String overloaded(List<Thing> values) {
		return "things " + values;
	}

	@Override
	public String sameByName(String value) {
		return "by name " + value;
	}

	@Override
	public String sameBySize(int value) {
		return "by size " + value;
	}

	@Override
	public String samePosted(Thing thing) {
		return "posted " + thing;
	}

	@Override
	public String twice(String value) {
		return "the server's own idea of " + value;
	}

	@Override
	public int pings() {
		return this.calls.incrementAndGet();
	}

	@Override
	public String across(int depth) {
		return "s" + ((depth == 0) ? "" : this.peers.client(VolumeContract.class).across(depth - 1));
	}

}
