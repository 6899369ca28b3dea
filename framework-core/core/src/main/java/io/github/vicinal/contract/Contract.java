package io.github.vicinal.contract;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.vicinal.contract.ContractReader.MethodDescription;
import org.jspecify.annotations.Nullable;

/**
 * A Java interface whose methods can be called on a peer. Immutable and thread-safe.
 * <p>
 * Methods are ordered by signature, so that an index means the same method on both sides
 * whenever the {@linkplain #hash() hashes} are equal.
 *
 * @since 0.1.0
 */
public final class Contract {

	/** Begins the names of structural contracts. No class name has a colon. */
	private static final String STRUCTURAL_PREFIX = "structure:";

	private final Class<?> type;

	private final List<ContractMethod> methods;

	private final Map<Method, ContractMethod> byMethod;

	private final TypeClosure closure;

	private final String hash;

	private final boolean structural;

	private Contract(Class<?> type, List<ContractMethod> methods, Map<Method, ContractMethod> byMethod) {
		this.type = type;
		this.methods = List.copyOf(methods);
		this.byMethod = Map.copyOf(byMethod);
		this.closure = TypeClosure.of(methods);
		this.hash = ContractHash.of(type.getName(), methods, this.closure);
		this.structural = false;
	}

	private Contract(Class<?> type, List<ContractMethod> methods, String hash) {
		this.type = type;
		this.methods = List.copyOf(methods);
		this.byMethod = Map.of();
		this.closure = TypeClosure.of(methods);
		this.hash = hash;
		this.structural = true;
	}

	/**
	 * Creates a contract whose two sides share no interface. They agree on the structure
	 * of its methods: what is sent for each of them, and what comes back. Classes may
	 * differ, so values are always copied between the sides.
	 * @param type distinguishes the side: no side has the same type as the other one
	 * @param methods the methods, by index; those that the sides do not have in common
	 * say that only HTTP can carry them
	 * @param hash covers the structure of all methods; equal on both sides
	 * @return the contract
	 */
	public static Contract structural(Class<?> type, List<ContractMethod> methods, String hash) {
		return new Contract(type, methods, hash);
	}

	/**
	 * Returns the name of a structural contract.
	 * @param hash its hash
	 * @return the name
	 */
	public static String structuralName(String hash) {
		return STRUCTURAL_PREFIX + hash;
	}

	/**
	 * Returns the hash of a canonical text.
	 * @param text the text
	 * @return 16 lower-case hexadecimal digits
	 */
	public static String hash(String text) {
		return ContractHash.of(text);
	}

	/**
	 * Reads a contract.
	 * @param type the interface
	 * @param reader decides which methods belong to the contract and what they carry
	 * @return the contract; it may have no methods
	 * @throws IllegalArgumentException if {@code type} is not an interface
	 */
	public static Contract of(Class<?> type, ContractReader reader) {
		if (!type.isInterface()) {
			throw new IllegalArgumentException(
					"A contract must be an interface, but %s is a class: move its methods ".formatted(type.getName())
							+ "to an interface that client and server share");
		}
		Map<String, Method> methodBySignature = new LinkedHashMap<>();
		Map<String, MethodDescription> descriptions = new LinkedHashMap<>();
		Map<Method, String> signatures = new LinkedHashMap<>();
		for (Method method : type.getMethods()) {
			if (Modifier.isStatic(method.getModifiers()) || method.isBridge()) {
				continue;
			}
			MethodDescription description = reader.read(type, method);
			if (description == null) {
				continue;
			}
			String signature = signature(method.getName(), description);
			signatures.put(method, signature);
			methodBySignature.merge(signature, method, (known,
					other) -> (known.getDeclaringClass().isAssignableFrom(other.getDeclaringClass())) ? other : known);
			descriptions.put(signature, description);
		}
		List<String> ordered = new ArrayList<>(methodBySignature.keySet());
		ordered.sort(Comparator.naturalOrder());
		List<ContractMethod> methods = new ArrayList<>();
		Map<String, ContractMethod> bySignature = new LinkedHashMap<>();
		for (String signature : ordered) {
			Method method = methodBySignature.get(signature);
			MethodDescription description = descriptions.get(signature);
			if (method == null || description == null) {
				throw new IllegalStateException(signature);
			}
			ContractMethod contractMethod = new ContractMethod(methods.size(), method, signature,
					description.argumentTypes(), description.resultType(), description.idempotent(),
					description.httpOnlyReason(), description.textArguments());
			methods.add(contractMethod);
			bySignature.put(signature, contractMethod);
		}
		Map<Method, ContractMethod> byMethod = new LinkedHashMap<>();
		signatures.forEach((method, signature) -> {
			ContractMethod contractMethod = bySignature.get(signature);
			if (contractMethod != null) {
				byMethod.put(method, contractMethod);
			}
		});
		return new Contract(type, methods, byMethod);
	}

	private static String signature(String name, MethodDescription description) {
		return description.argumentTypes()
			.stream()
			.map(Type::getTypeName)
			.collect(Collectors.joining(",", name + "(", ")" + description.resultType().getTypeName()));
	}

	/**
	 * Returns the interface.
	 * @return the interface
	 */
	public Class<?> type() {
		return this.type;
	}

	/**
	 * Returns the name that identifies the contract between peers.
	 * @return the fully qualified name of the interface, or a name made of the hash if
	 * the contract is structural
	 */
	public String name() {
		return this.structural ? structuralName(this.hash) : this.type.getName();
	}

	/**
	 * Returns whether the two sides share no interface, and agree on structures only.
	 * @return {@code false} for a contract that was read from an interface
	 */
	public boolean isStructural() {
		return this.structural;
	}

	/**
	 * Returns the methods, ordered by signature.
	 * @return an immutable list
	 */
	public List<ContractMethod> methods() {
		return this.methods;
	}

	/**
	 * Finds the contract method of a Java method.
	 * @param method a method of the interface or of a super-interface
	 * @return the contract method, or {@code null} if it is not part of the contract
	 */
	public @Nullable ContractMethod method(Method method) {
		return this.byMethod.get(method);
	}

	/**
	 * Returns what is known of the types that can travel through the methods.
	 * @return the closure
	 */
	public TypeClosure closure() {
		return this.closure;
	}

	/**
	 * Returns the hash of signatures and closure.
	 * @return 16 lower-case hexadecimal digits
	 */
	public String hash() {
		return this.hash;
	}

	@Override
	public String toString() {
		return name() + "@" + this.hash;
	}

}
