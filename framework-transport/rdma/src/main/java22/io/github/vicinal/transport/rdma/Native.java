package io.github.vicinal.transport.rdma;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

import org.jspecify.annotations.Nullable;

/**
 * Functions of libibverbs, librdmacm and the C library. The libraries stay loaded: this
 * class is initialised only where there is a device.
 * <p>
 * Offsets are those of 64-bit Linux. They are part of the binary interface that every
 * program compiled against the libraries has inlined.
 */
@SuppressWarnings("restricted") // Used only where native access is granted.
final class Native {

	static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

	static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

	static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;

	static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

	private static final AddressLayout POINTER = ValueLayout.ADDRESS;

	private static final Linker LINKER = Linker.nativeLinker();

	static final String CM_LIBRARY = "librdmacm.so.1";

	static final String VERBS_LIBRARY = "libibverbs.so.1";

	/** Memory of functions is that of the libraries, which stay loaded. */
	private static final SymbolLookup CM = SymbolLookup.libraryLookup(CM_LIBRARY, Arena.global());

	private static final SymbolLookup VERBS = SymbolLookup.libraryLookup(VERBS_LIBRARY, Arena.global());

	private static final StructLayout ERRNO = Linker.Option.captureStateLayout();

	private static final VarHandle ERRNO_FIELD = ERRNO
		.varHandle(MemoryLayout.PathElement.groupElement("errno"));

	// Connection manager

	static final MethodHandle CREATE_EVENT_CHANNEL = cm("rdma_create_event_channel", POINTER);

	static final MethodHandle DESTROY_EVENT_CHANNEL = cm("rdma_destroy_event_channel", null, POINTER);

	static final MethodHandle CREATE_ID = cm("rdma_create_id", INT, POINTER, POINTER, POINTER, INT);

	static final MethodHandle DESTROY_ID = cm("rdma_destroy_id", INT, POINTER);

	static final MethodHandle BIND = cm("rdma_bind_addr", INT, POINTER, POINTER);

	static final MethodHandle LISTEN = cm("rdma_listen", INT, POINTER, INT);

	static final MethodHandle RESOLVE_ADDRESS = cm("rdma_resolve_addr", INT, POINTER, POINTER, POINTER, INT);

	static final MethodHandle RESOLVE_ROUTE = cm("rdma_resolve_route", INT, POINTER, INT);

	static final MethodHandle CREATE_QP = cm("rdma_create_qp", INT, POINTER, POINTER, POINTER);

	static final MethodHandle DESTROY_QP = cm("rdma_destroy_qp", null, POINTER);

	static final MethodHandle CONNECT = cm("rdma_connect", INT, POINTER, POINTER);

	static final MethodHandle ACCEPT = cm("rdma_accept", INT, POINTER, POINTER);

	static final MethodHandle REJECT = cm("rdma_reject", INT, POINTER, POINTER, BYTE);

	static final MethodHandle DISCONNECT = cm("rdma_disconnect", INT, POINTER);

	static final MethodHandle MIGRATE_ID = cm("rdma_migrate_id", INT, POINTER, POINTER);

	static final MethodHandle GET_EVENT = cm("rdma_get_cm_event", INT, POINTER, POINTER);

	static final MethodHandle ACK_EVENT = cm("rdma_ack_cm_event", INT, POINTER);

	// Verbs

	static final MethodHandle ALLOC_PD = verbs("ibv_alloc_pd", POINTER, POINTER);

	static final MethodHandle DEALLOC_PD = verbs("ibv_dealloc_pd", INT, POINTER);

	static final MethodHandle REG_MR = verbs("ibv_reg_mr", POINTER, POINTER, POINTER, LONG, INT);

	static final MethodHandle DEREG_MR = verbs("ibv_dereg_mr", INT, POINTER);

	static final MethodHandle CREATE_COMP_CHANNEL = verbs("ibv_create_comp_channel", POINTER, POINTER);

	static final MethodHandle DESTROY_COMP_CHANNEL = verbs("ibv_destroy_comp_channel", INT, POINTER);

	static final MethodHandle CREATE_CQ = verbs("ibv_create_cq", POINTER, POINTER, INT, POINTER, POINTER, INT);

	static final MethodHandle DESTROY_CQ = verbs("ibv_destroy_cq", INT, POINTER);

	static final MethodHandle GET_CQ_EVENT = verbs("ibv_get_cq_event", INT, POINTER, POINTER, POINTER);

	static final MethodHandle ACK_CQ_EVENTS = verbs("ibv_ack_cq_events", null, POINTER, INT);

	static final MethodHandle STATUS_TEXT = verbs("ibv_wc_status_str", POINTER, INT);

	// C library

	static final MethodHandle POLL = c("poll", INT, POINTER, LONG, INT);

	static final MethodHandle EVENT_FD = c("eventfd", INT, INT, INT);

	static final MethodHandle READ = c("read", LONG, INT, POINTER, LONG);

	static final MethodHandle WRITE = c("write", LONG, INT, POINTER, LONG);

	static final MethodHandle CLOSE = c("close", INT, INT);

	private static final MethodHandle ERROR_TEXT = LINKER.downcallHandle(symbol(null, "strerror"),
			FunctionDescriptor.of(POINTER, INT));

	// The data path: called by the address that the context of a device holds.

	/** On hardware: {@code int poll_cq(cq, entries, wc)}. */
	static final MethodHandle POLL_CQ_FAST = data(true, POINTER, INT, POINTER);

	static final MethodHandle POLL_CQ = data(false, POINTER, INT, POINTER);

	static final MethodHandle POST_FAST = data(true, POINTER, POINTER, POINTER);

	static final MethodHandle POST = data(false, POINTER, POINTER, POINTER);

	static final MethodHandle NOTIFY_CQ = data(false, POINTER, INT);

	private Native() {
	}

	private static MemorySegment symbol(@Nullable SymbolLookup library, String name) {
		SymbolLookup known = (library != null) ? library : LINKER.defaultLookup();
		return known.find(name)
			.orElseThrow(() -> new UnsatisfiedLinkError("the RDMA libraries have no function " + name));
	}

	private static FunctionDescriptor descriptor(@Nullable MemoryLayout result, MemoryLayout... arguments) {
		return (result != null) ? FunctionDescriptor.of(result, arguments) : FunctionDescriptor.ofVoid(arguments);
	}

	private static MethodHandle handle(@Nullable SymbolLookup library, String name, @Nullable MemoryLayout result,
			MemoryLayout... arguments) {
		MethodHandle plain = LINKER.downcallHandle(descriptor(result, arguments),
				Linker.Option.captureCallState("errno"));
		return plain.bindTo(symbol(library, name));
	}

	private static MethodHandle cm(String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
		return handle(CM, name, result, arguments);
	}

	private static MethodHandle verbs(String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
		return handle(VERBS, name, result, arguments);
	}

	private static MethodHandle c(String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
		return handle(null, name, result, arguments);
	}

	private static MethodHandle data(boolean critical, MemoryLayout... arguments) {
		Linker.Option[] options = critical ? new Linker.Option[] { Linker.Option.critical(false) }
				: new Linker.Option[0];
		return LINKER.downcallHandle(FunctionDescriptor.of(INT, arguments), options);
	}

	/** Returns memory for the error number of calls. */
	static MemorySegment errnoOf(Arena arena) {
		return arena.allocate(ERRNO);
	}

	static int errno(MemorySegment state) {
		return (int) ERRNO_FIELD.get(state, 0L);
	}

	/** Returns what an error number means, for people. */
	static String text(int errno) {
		try {
			MemorySegment text = (MemorySegment) ERROR_TEXT.invokeExact(errno);
			return text.reinterpret(Long.MAX_VALUE).getString(0) + " (errno " + errno + ")";
		}
		catch (Throwable ex) {
			return "errno " + errno;
		}
	}

	/** Returns the name of a completion status. */
	static String status(int status, MemorySegment state) {
		try {
			MemorySegment text = (MemorySegment) STATUS_TEXT.invokeExact(state, status);
			return text.reinterpret(Long.MAX_VALUE).getString(0);
		}
		catch (Throwable ex) {
			return "status " + status;
		}
	}

}
