package io.github.vicinal.testkit.server;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * The smallest tracer that shows whether a trace continues: writes the caller's trace
 * into what is sent, and takes the callee's from what is received, by the same hooks as
 * Micrometer Tracing.
 *
 * @since 0.1.0
 */
public class TraceHandler implements ObservationHandler<Observation.Context> {

	/** The header of the W3C recommendation. */
	public static final String HEADER = "traceparent";

	private static final ThreadLocal<@Nullable String> CALLER = new ThreadLocal<>();

	private static final ThreadLocal<@Nullable String> CALLEE = new ThreadLocal<>();

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SenderContext || context instanceof ReceiverContext;
	}

	@Override
	public void onStart(Observation.Context context) {
		if (context instanceof SenderContext<?> sender) {
			send(sender);
		}
		else if (context instanceof ReceiverContext<?> receiver) {
			receive(receiver);
		}
	}

	private static <C> void send(SenderContext<C> context) {
		ObservationView parent = context.getParentObservation();
		String ofParent = (parent != null) ? parent.getContextView().get(TraceHandler.class) : null;
		String trace = (ofParent != null) ? ofParent : CALLER.get();
		C carrier = context.getCarrier();
		if (trace != null && carrier != null) {
			context.getSetter().set(carrier, HEADER, trace);
		}
	}

	private static <C> void receive(ReceiverContext<C> context) {
		C carrier = context.getCarrier();
		String trace = (carrier != null) ? context.getGetter().get(carrier, HEADER) : null;
		context.put(TraceHandler.class, (trace != null) ? trace : "none");
	}

	@Override
	public void onScopeOpened(Observation.Context context) {
		String trace = context.get(TraceHandler.class);
		if (trace != null) {
			CALLEE.set(trace);
		}
	}

	@Override
	public void onScopeClosed(Observation.Context context) {
		if (context.containsKey(TraceHandler.class)) {
			CALLEE.remove();
		}
	}

	/**
	 * Set or clear the trace of the calling thread.
	 * @param trace the header's value
	 */
	public static void setCaller(@Nullable String trace) {
		CALLER.set(trace);
	}

	/**
	 * Create an observation that is part of a trace.
	 * @param registry the registry of the caller
	 * @param trace the header's value
	 * @return an observation that is not started
	 */
	public static Observation caller(ObservationRegistry registry, String trace) {
		Observation.Context context = new Observation.Context();
		context.put(TraceHandler.class, trace);
		return Observation.createNotStarted("kit.caller", () -> context, registry);
	}

	/**
	 * Return the trace that arrived with the call which this thread handles.
	 * @return the header's value, {@code none}, or {@code null} outside observations
	 */
	public static @Nullable String callee() {
		return CALLEE.get();
	}

}
