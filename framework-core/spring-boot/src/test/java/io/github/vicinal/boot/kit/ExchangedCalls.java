package io.github.vicinal.boot.kit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.testkit.CarriedCall;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.reactivestreams.Publisher;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.http.client.observation.ClientRequestObservationContext;

/**
 * Notes which calls of proxies become exchanges. The calls of one proxy are counted for
 * its contract, unless proxies of several contracts are called at the same time.
 */
final class ExchangedCalls implements BeanPostProcessor, ObservationHandler<Observation.Context> {

	private static final String BEGIN = "begin";

	private final Queue<CarriedCall> calls;

	/** Contracts whose calls have begun, and of which no exchange was seen yet. */
	private final Queue<String> begun = new ConcurrentLinkedQueue<>();

	/** Whether the current thread has sent a request. */
	private final ThreadLocal<Boolean> sent = ThreadLocal.withInitial(() -> false);

	ExchangedCalls(Queue<CarriedCall> calls) {
		this.calls = calls;
	}

	/** Returns a proxy whose calls are noted. */
	<T> T noting(Class<T> contract, T proxy) {
		InvocationHandler handler = (self, method, arguments) -> {
			if (method.getName().equals("equals") && method.getDeclaringClass() == Object.class) {
				return self == arguments[0];
			}
			if (method.getDeclaringClass() == Object.class) {
				return invoke(method, proxy, arguments);
			}
			this.begun.add(contract.getName());
			this.sent.set(false);
			try {
				return invoke(method, proxy, arguments);
			}
			finally {
				if (isOverWhenItReturns(method) && this.begun.remove(contract.getName()) && this.sent.get()) {
					this.calls.add(new CarriedCall(contract.getName(), "http", "the request was no exchange"));
				}
			}
		};
		return contract.cast(Proxy.newProxyInstance(contract.getClassLoader(), new Class<?>[] { contract }, handler));
	}

	private static boolean isOverWhenItReturns(Method method) {
		return !CompletionStage.class.isAssignableFrom(method.getReturnType())
				&& !Publisher.class.isAssignableFrom(method.getReturnType());
	}

	private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof PathProvider provider) ? new NotingProvider(provider) : bean;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof ClientRequestObservationContext;
	}

	@Override
	public void onStart(Observation.Context context) {
		this.sent.set(true);
	}

	private final class NotingProvider implements PathProvider {

		private final PathProvider provider;

		NotingProvider(PathProvider provider) {
			this.provider = provider;
		}

		@Override
		public PathKind kind() {
			return this.provider.kind();
		}

		@Override
		public Attempt connect(Contract contract, PeerAnnouncement peer) {
			Attempt attempt = this.provider.connect(contract, peer);
			return (attempt instanceof Connected connected) ? new Connected(new NotingPath(connected.path())) : attempt;
		}

		@Override
		public void close() {
			this.provider.close();
		}

	}

	private final class NotingPath implements CallPath {

		private final CallPath path;

		NotingPath(CallPath path) {
			this.path = path;
		}

		@Override
		public PathKind kind() {
			return this.path.kind();
		}

		@Override
		public CodecChoice codec() {
			return this.path.codec();
		}

		@Override
		public Reply call(CallFrame frame) throws PathException {
			String contract = frame.method().method().getName().startsWith(BEGIN) ? ExchangedCalls.this.begun.poll()
					: null;
			if (contract != null) {
				ExchangedCalls.this.calls.add(new CarriedCall(contract, kind().id(), null));
			}
			return this.path.call(frame);
		}

		@Override
		public CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
			return this.path.callLater(frame, executor);
		}

		@Override
		public boolean isOpen() {
			return this.path.isOpen();
		}

		@Override
		public long bytesCarried() {
			return this.path.bytesCarried();
		}

		@Override
		public Map<String, Object> details() {
			return this.path.details();
		}

		@Override
		public void close() {
			this.path.close();
		}

	}

}
