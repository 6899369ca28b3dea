package io.github.vicinal.transport.rdma;

import io.github.vicinal.peer.PeerIdentity;

/** Another process of {@link RdmaGuestTests}. */
final class RdmaGuestChild extends RdmaTestSupport {

	private final RdmaDevices devices = new RdmaDevices(options());

	private RdmaGuestChild() {
	}

	@Override
	RdmaDevices devices() {
		return this.devices;
	}

	public static void main(String[] args) throws Exception {
		RdmaGuestChild child = new RdmaGuestChild();
		if (args[0].equals("support")) {
			System.out.println(child.devices.support());
			return;
		}
		RdmaPathServer server = child.server(RdmaGuestTests.patient().build(), new PeerIdentity(args[1], HOST));
		System.out.println(server.address().orElseGet(() -> server.unavailable().orElseThrow()));
		child.released.await();
	}

}
