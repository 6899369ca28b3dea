package io.github.vicinal.launcher;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.runtime.ObjectMethods;
import java.util.Map;

/**
 * Makes the JDK forget the record whose methods it has linked last. Before JDK 18, the
 * method handles from which it makes {@code equals}, {@code hashCode} and
 * {@code toString} of all records are in static fields, and each keeps the type that it
 * was last adapted to: that of a record, and so the class loader of an application.
 */
final class RecordMethods {

	private static final Map<String, MethodType> METHODS = Map.of("equals",
			MethodType.methodType(boolean.class, Linked.class, Object.class), "hashCode",
			MethodType.methodType(int.class, Linked.class), "toString",
			MethodType.methodType(String.class, Linked.class));

	private RecordMethods() {
	}

	/** Links the methods of a record of the launcher, as the JDK does for any record. */
	static void forget() {
		try {
			MethodHandles.Lookup lookup = MethodHandles.lookup();
			MethodHandle component = lookup.findVirtual(Linked.class, "component",
					MethodType.methodType(RecordMethods.class));
			for (Map.Entry<String, MethodType> method : METHODS.entrySet()) {
				ObjectMethods.bootstrap(lookup, method.getKey(), method.getValue(), Linked.class, "component",
						component);
			}
		}
		catch (Throwable ex) {
			// The next record that is linked takes its place.
		}
	}

	/**
	 * Has a component of a class of its own, since handles are adapted to that, too.
	 *
	 * @param component not used
	 */
	private record Linked(RecordMethods component) {
	}

}
