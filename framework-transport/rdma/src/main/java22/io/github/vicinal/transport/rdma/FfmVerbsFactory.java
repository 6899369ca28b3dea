package io.github.vicinal.transport.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

import org.jspecify.annotations.Nullable;

/** Makes {@link FfmVerbs} where the JVM has granted native access. */
@SuppressWarnings("restricted") // Used only where native access is granted.
final class FfmVerbsFactory implements VerbsFactory {

	@Override
	public @Nullable String unavailable() {
		// Asked before anything native is touched: a JVM warns, or will refuse, else.
		if (!FfmVerbsFactory.class.getModule().isNativeAccessEnabled()) {
			return "RDMA needs native access: start the JVM with --enable-native-access=ALL-UNNAMED, or add the "
					+ "manifest entry Enable-Native-Access: ALL-UNNAMED to the application's jar";
		}
		if (ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
			return "RDMA is known on 64-bit Linux only";
		}
		for (String library : new String[] { Native.CM_LIBRARY, Native.VERBS_LIBRARY }) {
			try {
				MemorySegment found = SymbolLookup.libraryLookup(library, Arena.global())
					.find("rdma_create_id")
					.orElse(MemorySegment.NULL);
				if (library.equals(Native.CM_LIBRARY) && found.equals(MemorySegment.NULL)) {
					return library + " is not the library of the RDMA connection manager";
				}
			}
			catch (IllegalArgumentException ex) {
				return library + " was not found; install rdma-core (the packages librdmacm1 and ibverbs-providers)";
			}
		}
		return null;
	}

	@Override
	public Verbs create(boolean hardware) throws VerbsException {
		try {
			return new FfmVerbs(hardware);
		}
		catch (LinkageError ex) {
			throw new VerbsException("the RDMA libraries cannot be used: " + ex, ex);
		}
	}

}
