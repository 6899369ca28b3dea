package io.github.vicinal.testkit.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

import io.github.vicinal.testkit.contract.ShapesContract;
import io.github.vicinal.testkit.contract.VolumeContract;

import org.springframework.web.bind.annotation.RestController;

@RestController
class VolumeController implements VolumeContract {

	private final KitPeers peers;

	VolumeController(KitPeers peers) {
		this.peers = peers;
	}

	@Override
	public String ping() {
		return "volume";
	}

	@Override
	public Sum sum(Load load) {
		CRC32 checksum = new CRC32();
		checksum.update(load.text().getBytes(StandardCharsets.UTF_8));
		return new Sum(load.number(), checksum.getValue(), load.text().length());
	}

	@Override
	public Load reverse(Load load) {
		return new Load(-load.number(), new StringBuilder(load.text()).reverse().toString());
	}

	@Override
	public byte[] flip(byte[] bytes) {
		byte[] result = new byte[bytes.length];
		for (int i = 0; i < bytes.length; i++) {
			result[i] = (byte) ~bytes[i];
		}
		return result;
	}

	@Override
	public byte[] make(int size) {
		byte[] result = new byte[size];
		for (int i = 0; i < size; i++) {
			result[i] = (byte) i;
		}
		return result;
	}

	@Override
	public List<Map<String, String>> table(int rows) {
		List<Map<String, String>> result = new ArrayList<>(rows);
		for (int i = 0; i < rows; i++) {
			result.add(Map.of("row", Integer.toString(i)));
		}
		return result;
	}

	@Override
	public long countDown(int depth) {
		return (depth == 0) ? 0 : 1 + this.peers.client(VolumeContract.class).countDown(depth - 1);
	}

	@Override
	public String across(int depth) {
		return "v" + ((depth == 0) ? "" : this.peers.client(ShapesContract.class).across(depth - 1));
	}

}
