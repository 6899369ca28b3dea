package io.github.vicinal.boot.kit;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathRule;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.testkit.CarriedCall;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;

/**
 * Interfaces that only clients have: each extends a contract and adds nothing to it.
 * Servers do not find it, and match its methods by their structure.
 */
public final class OwnInterfaces {

	/** Ends the names of such interfaces. */
	public static final String SUFFIX = "OfClient";

	/**
	 * Methods of the kit's contracts that have no structure, by the names of the
	 * interfaces.
	 */
	private static final Map<String, Set<String>> WITHOUT_STRUCTURE = Map.ofEntries(
			Map.entry("AdditionsContract", Set.of("headerLater")),
			Map.entry("ArgumentsContract",
					Set.of("cookie", "everything", "headerDefault", "isoDates", "twoInOneSegment", "typedPath",
							"withDefault")),
			Map.entry("BodiesContract",
					Set.of("describeBytes", "describeLoose", "describeSecret", "echoAnnotated", "echoByKey",
							"echoBytes", "echoGrade", "echoLoose", "echoMaybe", "echoMixedIn", "echoSecret",
							"echoShape", "echoShapes", "echoTexts", "echoTimes", "echoTree", "echoUtf8", "findItem",
							"findNumber", "findText", "picky", "pickyResult")),
			Map.entry("RequestContract", Set.of("lookAtAccept", "lookAtText")),
			Map.entry("ResponseContract", Set.of("errorResponse", "problem", "problemEntity")),
			Map.entry("ResultsContract", Set.of("headersOnly")),
			Map.entry("StateContract", Set.of("keepBytes", "spoilBytes")), Map.entry("VolumeContract", Set.of("flip")));

	/** All of its handlers are asynchronous. */
	private static final String ASYNCHRONOUS = "TimingContract";

	private OwnInterfaces() {
	}

	/**
	 * Describes a call of such an interface. One of a method without structure counts as
	 * carried by the path.
	 * @param channel the channel
	 * @param method the method that is called
	 * @param kind the path that carries the call
	 * @param reason why it is no other one
	 * @param path the path under test
	 */
	static CarriedCall carried(Channel channel, ContractMethod method, PathKind kind, @Nullable String reason,
			String path) {
		proveAll(channel);
		Class<?> contract = method.method().getDeclaringClass();
		boolean left = reason != null && (WITHOUT_STRUCTURE.getOrDefault(contract.getSimpleName(), Set.of())
			.contains(method.method().getName()) || isAsynchronous(contract, method));
		String name = channel.contract().name();
		return new CarriedCall(name.substring(0, name.length() - SUFFIX.length()), left ? path : kind.id(), reason);
	}

	private static boolean isAsynchronous(Class<?> contract, ContractMethod method) {
		Class<?> result = method.method().getReturnType();
		return contract.getSimpleName().equals(ASYNCHRONOUS)
				&& (CompletionStage.class.isAssignableFrom(result) || Publisher.class.isAssignableFrom(result));
	}

	/**
	 * Lets also the first call of each method take a path: the requests of these tests go
	 * where they seem to go.
	 */
	private static void proveAll(Channel channel) {
		Peer peer = channel.known(null);
		PeerAnnouncement announced = (peer != null) ? peer.announcement() : null;
		if (peer != null && announced != null && peer.hasPath()) {
			channel.contract()
				.methods()
				.forEach((method) -> peer.announced(announced, System.nanoTime(), PathRule.ANY, method));
		}
	}

	/**
	 * Returns the client's interface of a contract.
	 * @param contract the contract
	 * @param lookup may define classes in its package
	 */
	@SuppressWarnings("unchecked")
	public static synchronized <T> Class<? extends T> of(Class<T> contract, MethodHandles.Lookup lookup) {
		String name = contract.getName().replace('$', '_') + SUFFIX;
		try {
			return (Class<? extends T>) Class.forName(name, false, contract.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			return (Class<? extends T>) define(contract, name, lookup);
		}
	}

	private static Class<?> define(Class<?> contract, String name, MethodHandles.Lookup lookup) {
		ClassWriter writer = new ClassWriter(0);
		int access = Modifier.isPublic(contract.getModifiers()) ? Opcodes.ACC_PUBLIC : 0;
		writer.visit(Opcodes.V17, access | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT, name.replace('.', '/'), null,
				"java/lang/Object", new String[] { contract.getName().replace('.', '/') });
		writer.visitEnd();
		try {
			return MethodHandles.privateLookupIn(contract, lookup).defineClass(writer.toByteArray());
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
