package io.github.vicinal.transport.direct;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.jvm.Neighbours;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.server.Service;
import org.jspecify.annotations.Nullable;

/**
 * Connects to other applications of this JVM. Thread-safe.
 *
 * @since 0.1.0
 */
public final class DirectPathProvider implements PathProvider {

	private final Codecs codecs;

	private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

	private final BufferPool buffers = new BufferPool();

	private final Consumer<Neighbour> stopped = this::release;

	/** Calls of the paths that were opened. */
	private final Set<DirectCalls<?>> opened = Collections.newSetFromMap(new WeakHashMap<>());

	private boolean listening;

	private volatile boolean closed;

	/**
	 * Creates a provider. The context class loader of the calling thread is taken to be
	 * the application's.
	 * @param codecs the codecs of the application that calls
	 */
	public DirectPathProvider(Codecs codecs) {
		this.codecs = codecs;
	}

	@Override
	public PathKind kind() {
		return PathKind.DIRECT;
	}

	@Override
	public PathProtection protection() {
		return PathProtection.SAME_USER;
	}

	@Override
	public Attempt connect(Contract contract, PeerAnnouncement peer) {
		if (this.closed) {
			return new Unavailable("the application is shutting down", false);
		}
		Neighbour neighbour = Neighbours.find(peer.peer().instanceId());
		if (neighbour == null) {
			return new Unavailable(
					"the peer runs in another JVM, or does not share the class loader of %s with this one"
						.formatted(Neighbours.class.getName()),
					false);
		}
		Consumer<DirectCalls<?>> opening = (calls) -> opened(calls, peer.peer().instanceId(), neighbour);
		return (neighbour instanceof DirectTarget target) ? byReference(contract, target, opening)
				: FramePath.connect(neighbour, contract, this.codecs, this.loader, this.buffers, opening);
	}

	/** Perhaps nobody calls an application that has stopped, and notices that it has. */
	private void opened(DirectCalls<?> calls, String instanceId, Neighbour neighbour) {
		synchronized (this.opened) {
			this.opened.add(calls);
			if (!this.listening && !this.closed) {
				this.listening = true;
				Neighbours.addListener(this.stopped);
			}
			if (this.closed) {
				calls.close();
			}
		}
		if (Neighbours.find(instanceId) != neighbour) {
			calls.release();
		}
	}

	private void release(Neighbour neighbour) {
		synchronized (this.opened) {
			for (DirectCalls<?> calls : this.opened) {
				if (calls.isTo(neighbour)) {
					calls.release();
				}
			}
		}
	}

	private Attempt byReference(Contract contract, DirectTarget target, Consumer<DirectCalls<?>> opening) {
		Service service = target.services().find(contract.name());
		if (service == null) {
			return new Unavailable("no bean offers the contract %s".formatted(contract.name()), false);
		}
		Contract theirs = service.contract();
		if (!theirs.hash().equals(contract.hash())) {
			return new Unavailable(
					"the contract %s differs: hash %s here, %s at the peer; build both sides from the same version of it"
						.formatted(contract.name(), contract.hash(), theirs.hash()),
					false);
		}
		Optional<String> refusal = service.refusal();
		if (refusal.isPresent()) {
			return new Unavailable(refusal.get(), false);
		}
		try {
			return connect(contract, target, service, opening);
		}
		catch (RuntimeException ex) {
			return new Unavailable("the values of %s cannot be copied: %s".formatted(contract.name(), ex.getMessage()),
					false);
		}
	}

	private Attempt connect(Contract contract, DirectTarget target, Service service, Consumer<DirectCalls<?>> opening) {
		Contract theirs = service.contract();
		Codecs theirCodecs = service.codecs();
		CodecChoice caller = this.codecs.choose(contract, theirCodecs.offers(theirs));
		CodecChoice callee = theirCodecs.choose(theirs, this.codecs.offers(contract));
		if (!caller.codec().name().equals(callee.codec().name())) {
			return new Unavailable("the peer chose the codec %s for %s, this side %s".formatted(callee.codec().name(),
					contract.name(), caller.codec().name()), false);
		}
		HandoverPlan[] plans = plans(contract, theirs, theirCodecs);
		LongAdder bytes = new LongAdder();
		Copier copier = new Copier(caller.codec(), this.loader, callee.codec(), target.loader(), this.buffers, bytes);
		CodecChoice choice = new CodecChoice(caller.codec(), describe(plans, caller.reason()));
		DirectCalls<DirectPath.Parts> calls = new DirectCalls<>(target, new DirectPath.Parts(service, plans, copier));
		opening.accept(calls);
		return new Connected(new DirectPath(calls, choice, bytes));
	}

	/** Equal hashes: an index means the same method on both sides. */
	private HandoverPlan[] plans(Contract contract, Contract theirs, Codecs theirCodecs) {
		boolean sameClasses = contract.type() == theirs.type();
		List<ContractMethod> methods = contract.methods();
		HandoverPlan[] plans = new HandoverPlan[methods.size()];
		for (int i = 0; i < plans.length; i++) {
			plans[i] = new HandoverPlan(methods.get(i), this.codecs, theirs.methods().get(i), theirCodecs, sameClasses,
					this.codecs.byReference(contract));
		}
		return plans;
	}

	private static String describe(HandoverPlan[] plans, String reason) {
		int byReference = 0;
		for (HandoverPlan plan : plans) {
			if (plan.argumentsByReference() && plan.resultByReference()) {
				byReference++;
			}
		}
		if (byReference == 0) {
			return "no methods by reference: " + reason;
		}
		String all = "%d of %d methods by reference, since their values are immutable".formatted(byReference,
				plans.length);
		return (byReference < plans.length) ? all + "; for the others: " + reason : all;
	}

	@Override
	public void close() {
		synchronized (this.opened) {
			this.closed = true;
			Neighbours.removeListener(this.stopped);
			this.opened.forEach(DirectCalls::close);
		}
	}

}
