package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.util.Optional;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.util.Assert;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpRequestValues;

/**
 * The entry of calls inside of a circuit breaker, which decorates the exchange adapter
 * and would not see calls that enter at the proxy.
 */
final class ChannelExchangeAdapter implements HttpExchangeAdapter {

	private static final String METHOD = ChannelExchangeAdapter.class.getName() + ".method";

	private static final String ARGUMENTS = ChannelExchangeAdapter.class.getName() + ".arguments";

	private static final String CHANNEL = ChannelExchangeAdapter.class.getName() + ".channel";

	private final HttpExchangeAdapter delegate;

	ChannelExchangeAdapter(HttpExchangeAdapter delegate) {
		this.delegate = delegate;
	}

	/**
	 * Takes the typed call along with the request of whichever client the thread is in:
	 * two of a group may have inherited one method.
	 */
	static final class Capture implements ChannelMark {

		private final ThreadLocal<@Nullable ClientChannel> current = new ThreadLocal<>();

		/**
		 * Returns the entry of a client.
		 * @param channel its channel, or {@code null} if it has none
		 */
		MethodInterceptor entry(@Nullable ClientChannel channel) {
			return (invocation) -> {
				ClientChannel outer = this.current.get();
				set(channel);
				try {
					return invocation.proceed();
				}
				finally {
					set(outer);
				}
			};
		}

		private void set(@Nullable ClientChannel channel) {
			if (channel != null) {
				this.current.set(channel);
			}
			else {
				this.current.remove();
			}
		}

		@Override
		public void process(Method method, MethodParameter[] parameters, @Nullable Object[] arguments,
				HttpRequestValues.Builder values) {
			ClientChannel channel = this.current.get();
			if (channel != null) {
				values.addAttribute(CHANNEL, channel);
				values.addAttribute(METHOD, method);
				values.addAttribute(ARGUMENTS, arguments);
				values.addAttribute(HttpLeg.ATTRIBUTE, new HttpLeg.Mark());
			}
		}

	}

	private @Nullable Object call(HttpRequestValues values, Original original) {
		Method method = (Method) values.getAttributes().get(METHOD);
		@Nullable Object[] arguments = (@Nullable Object[]) values.getAttributes().get(ARGUMENTS);
		ClientChannel channel = (ClientChannel) values.getAttributes().get(CHANNEL);
		MethodPlan plan = (channel != null && method != null) ? channel.plan(method) : null;
		try {
			if (channel == null || plan == null || arguments == null) {
				return original.proceed();
			}
			HttpLegs legs = channel.legs();
			return new ClientCall(channel, plan, Timing.SYNC, arguments, () -> {
				legs.mark(values);
				return original.proceed();
			}).make();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("An exchange adapter raises no checked exceptions", ex);
		}
	}

	@Override
	public boolean supportsRequestAttributes() {
		return this.delegate.supportsRequestAttributes();
	}

	@Override
	public void exchange(HttpRequestValues values) {
		call(values, () -> {
			this.delegate.exchange(values);
			return null;
		});
	}

	@Override
	public HttpHeaders exchangeForHeaders(HttpRequestValues values) {
		HttpHeaders headers = (HttpHeaders) call(values, () -> this.delegate.exchangeForHeaders(values));
		Assert.state(headers != null, "No headers");
		return headers;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> @Nullable T exchangeForBody(HttpRequestValues values, ParameterizedTypeReference<T> bodyType) {
		Object body = call(values, () -> this.delegate.exchangeForBody(values, bodyType));
		return (T) ((body instanceof Optional<?> optional) ? optional.orElse(null) : body);
	}

	@Override
	@SuppressWarnings("unchecked")
	public ResponseEntity<Void> exchangeForBodilessEntity(HttpRequestValues values) {
		Object entity = call(values, () -> this.delegate.exchangeForBodilessEntity(values));
		Assert.state(entity != null, "No entity");
		return (ResponseEntity<Void>) entity;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> ResponseEntity<T> exchangeForEntity(HttpRequestValues values, ParameterizedTypeReference<T> bodyType) {
		Object entity = call(values, () -> this.delegate.exchangeForEntity(values, bodyType));
		Assert.state(entity != null, "No entity");
		return (ResponseEntity<T>) entity;
	}

}
