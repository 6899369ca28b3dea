package io.github.vicinal.boot.client;

import java.io.IOException;
import java.util.Collection;
import java.util.function.Supplier;

import io.github.vicinal.boot.contract.ClientAnnotations;
import io.github.vicinal.boot.contract.ExchangeAnnotations;
import io.github.vicinal.boot.contract.ExchangeContractReader;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;

/**
 * The differences between the clients of one library for interfaces and another.
 * Thread-safe.
 */
interface ClientKind {

	/** HTTP interfaces of Spring. */
	ClientKind HTTP_INTERFACE = new HttpInterface();

	/**
	 * Reads the contract of an interface.
	 * @param type the interface
	 * @param said what is said of the channel, or {@code null}
	 */
	Contract contract(Class<?> type, @Nullable AffinityChannel said);

	/** Returns what the annotations of an interface say about requests. */
	ClientAnnotations annotations(Class<?> type);

	/**
	 * Inspects the clients of a channel.
	 * @param clients what {@link ClientChannel#client} was given
	 * @param balancers returns what load balancers of the application add to requests
	 * @param application what typed calls have in place of settings of the client
	 */
	ClientAdditions additions(Collection<Object> clients, Supplier<Collection<String>> balancers,
			ClientAdditions.Application application);

	/**
	 * Returns whether each request is observed as {@code http.client.requests}, and
	 * answers may be kept by a {@link CallCache}.
	 */
	boolean isOfSpring();

	/**
	 * Returns a reply as this kind of client understands it: as a value, or as a response
	 * that the HTTP client is to see.
	 */
	Reply received(Reply reply);

	/**
	 * Returns what the lowest layer of the HTTP client raises for a call that got no
	 * answer, {@code null} if the channel raises what the client would raise.
	 */
	@Nullable IOException raisedBelow(PathException failure);

	/** HTTP interfaces of Spring. */
	final class HttpInterface implements ClientKind {

		private HttpInterface() {
		}

		@Override
		public Contract contract(Class<?> type, @Nullable AffinityChannel said) {
			return ExchangeContractReader.contract(type, said);
		}

		@Override
		public ClientAnnotations annotations(Class<?> type) {
			return new ExchangeAnnotations(type);
		}

		@Override
		public ClientAdditions additions(Collection<Object> clients, Supplier<Collection<String>> balancers,
				ClientAdditions.Application application) {
			return ClientAdditions.of(clients.stream().map(Advised.class::cast).toList(), balancers, application);
		}

		@Override
		public boolean isOfSpring() {
			return true;
		}

		@Override
		public Reply received(Reply reply) {
			return reply;
		}

		@Override
		public @Nullable IOException raisedBelow(PathException failure) {
			return null;
		}

	}

}
