package io.github.vicinal.transport.rdma;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.transport.testing.RunningCalls;

/** Servers and clients on a fabric in memory, which shows both ends of a connection. */
abstract class RdmaFabricTestSupport extends RdmaTestSupport {

	final MemoryFabric fabric = new MemoryFabric();

	final RunningCalls executed = new RunningCalls();

	@Override
	RdmaDevices devices() {
		return this.fabric.devices();
	}

	@Override
	protected Reply echo(CallFrame call) {
		this.executed.add(call);
		return super.echo(call);
	}

	/** Returns the client's end of the first connection: it was made first. */
	MemoryFabric.MemoryQueuePair client() {
		return this.fabric.all().get(0);
	}

}
