package io.github.vicinal.boot.client;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.contract.ClientAnnotations;
import io.github.vicinal.boot.contract.MethodStructure;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.codec.JsonStructure;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.peer.ContractInquiry.Structure;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.SingletonSupplier;

/**
 * The methods of one channel by their structure, for servers that do not have the
 * client's interface. Thread-safe.
 */
final class ChannelStructure {

	private final Channel channel;

	private final SingletonSupplier<List<MethodStructure>> methods;

	/** The structure that the last request named; {@code null} before the first one. */
	private volatile @Nullable Structure asked;

	/**
	 * Creates the structure of a channel. Types are looked at with the first request.
	 * @param annotations what the annotations of the interface say
	 * @param mapper returns the mapper of bodies
	 * @param placeholders resolves placeholders of paths
	 */
	ChannelStructure(Channel channel, ClientAnnotations annotations, Supplier<JsonMapper> mapper,
			UnaryOperator<String> placeholders) {
		this.channel = channel;
		this.methods = SingletonSupplier
			.of(() -> describe(channel.contract(), annotations, mapper.get(), placeholders));
	}

	private static List<MethodStructure> describe(Contract contract, ClientAnnotations annotations, JsonMapper mapper,
			UnaryOperator<String> placeholders) {
		JsonStructure json = new JsonStructure(mapper);
		return contract.methods()
			.stream()
			.map((method) -> MethodStructure.ofClient(contract.type(), annotations, method, placeholders, json))
			.toList();
	}

	private synchronized Structure ask(String base, List<MethodStructure> described) {
		Structure last = this.asked;
		if (last == null || !last.base().equals(base)) {
			last = new Structure(Structure.OTHER_CALL, base, described.stream().map(ChannelStructure::hash).toList());
			this.channel.structural(contract(described, last.hash()));
			this.asked = last;
		}
		return last;
	}

	/**
	 * Returns what a request asks for.
	 * @param plan the method whose call it is
	 * @param sent the URI of the request
	 * @param peer where it goes, {@code null} if that is not known
	 * @return the structure, or {@code null} if the peer has the interface, or no method
	 * has a structure
	 */
	@Nullable Structure of(MethodPlan plan, URI sent, @Nullable Peer peer) {
		PeerAnnouncement known = (peer != null) ? peer.announcement() : null;
		if (known != null && known.contractHash().equals(this.channel.contract().hash())) {
			return null;
		}
		int count = this.channel.contract().methods().size();
		boolean typed = this.channel.settings().paths().stream().anyMatch((kind) -> !kind.equals(PathKind.HTTP));
		List<MethodStructure> described = (typed && count <= Structure.MAX_METHODS) ? this.methods.obtain() : List.of();
		if (described.stream().allMatch((method) -> method.hashes().isEmpty())) {
			return null;
		}
		int index = plan.method().index();
		String base = described.get(index).hashes().isEmpty() ? null : base(sent.getRawPath(), plan.path());
		return (base != null) ? new Structure(index, base, ask(base, described).methods()) : this.asked;
	}

	private static String hash(MethodStructure method) {
		return method.hashes().isEmpty() ? Structure.NONE : method.hashes().get(0);
	}

	private Contract contract(List<MethodStructure> described, String hash) {
		List<ContractMethod> structural = new ArrayList<>();
		for (ContractMethod method : this.channel.contract().methods()) {
			structural.add(new ContractMethod(method.index(), method.method(), method.signature(),
					method.argumentTypes().stream().map(MethodStructure::boxed).toList(),
					MethodStructure.boxed(method.resultType()), method.idempotent(),
					described.get(method.index()).whyNone(), method.textArguments()));
		}
		return Contract.structural(this.channel.contract().type(), structural, hash);
	}

	/**
	 * Returns the path of the base URL, as a request shows it.
	 * @param path the path of the request
	 * @param template that of the method
	 * @return the rest of the path, or {@code null} if the path does not end as the
	 * template does
	 */
	static @Nullable String base(@Nullable String path, String template) {
		if (path == null) {
			return null;
		}
		String[] actual = path.split("/", -1);
		String[] own = template.split("/", -1);
		int skipped = actual.length - own.length;
		if (skipped < 0) {
			return null;
		}
		// The first one is the empty text in front of the first slash.
		for (int i = 1; i < own.length; i++) {
			String segment = actual[skipped + i];
			if (segment.isEmpty() || (!own[i].startsWith("{") && !own[i].equals(segment))) {
				return null;
			}
		}
		StringBuilder base = new StringBuilder();
		for (int i = 1; i <= skipped; i++) {
			base.append('/').append(actual[i]);
		}
		return Structure.isBase(base.toString()) ? base.toString() : null;
	}

}
