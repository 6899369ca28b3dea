package io.github.vicinal.boot.kit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.transport.direct.DirectPathProvider;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Shows the applications of this JVM as one sees those whose class loaders have classes
 * of Vicinal of their own: not to be recognised by their class.
 */
final class StrangeNeighbours implements BeanPostProcessor, AutoCloseable {

	private final Map<String, Neighbour> strangers = new ConcurrentHashMap<>();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof DirectPathProvider provider) ? new Provider(provider) : bean;
	}

	/** Puts a stranger in the place of an application, unless it has gone. */
	private void replace(String instanceId) {
		Neighbour known = Neighbours.find(instanceId);
		if (known != null && !(known instanceof Stranger) && Neighbours.remove(instanceId, known)) {
			Neighbour stranger = new Stranger(known);
			Neighbours.register(instanceId, stranger);
			this.strangers.put(instanceId, stranger);
		}
	}

	@Override
	public void close() {
		this.strangers.forEach(Neighbours::remove);
	}

	private final class Provider implements PathProvider {

		private final PathProvider provider;

		Provider(PathProvider provider) {
			this.provider = provider;
		}

		@Override
		public PathKind kind() {
			return this.provider.kind();
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			synchronized (StrangeNeighbours.this) {
				replace(peer.peer().instanceId());
			}
			return this.provider.connect(contract, peer);
		}

		@Override
		public void close() {
			this.provider.close();
		}

	}

	private record Stranger(Neighbour neighbour) implements Neighbour {

		@Override
		public Session open() {
			return this.neighbour.open();
		}

		@Override
		public Executor executor() {
			return this.neighbour.executor();
		}

		@Override
		public boolean enter() {
			return this.neighbour.enter();
		}

		@Override
		public boolean leave() {
			return this.neighbour.leave();
		}

		@Override
		public boolean closed() {
			return this.neighbour.closed();
		}

	}

}
