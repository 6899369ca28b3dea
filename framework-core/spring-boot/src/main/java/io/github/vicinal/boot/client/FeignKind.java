package io.github.vicinal.boot.client;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.ClientAdditions.Application;
import io.github.vicinal.boot.client.ClientAdditions.Found;
import io.github.vicinal.boot.contract.ClientAnnotations;
import io.github.vicinal.boot.contract.MappingAnnotations;
import io.github.vicinal.boot.contract.MappingContractReader;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

/**
 * One Feign client of Spring Cloud.
 *
 * @param mapping the annotations of its interface
 * @param methods its methods, each with the reason why only HTTP can carry it, or with an
 * empty text
 * @param urlConnection whether the HTTP library is {@code HttpURLConnection}
 */
record FeignKind(MappingAnnotations mapping, Map<Method, String> methods, boolean urlConnection) implements ClientKind {

	@Override
	public Contract contract(Class<?> type, @Nullable AffinityChannel said) {
		return MappingContractReader.contract(this.mapping, said, this.methods);
	}

	@Override
	public ClientAnnotations annotations(Class<?> type) {
		return this.mapping;
	}

	@Override
	public ClientAdditions additions(Collection<Object> clients, Supplier<Collection<String>> balancers,
			Application application) {
		Found found = new Found(application);
		for (Object client : clients) {
			try {
				FeignAdditions.inspect((FeignAdditions.Handlers) client, found);
			}
			catch (UnknownLayoutException | RuntimeException ex) {
				found.unsupported("unknown Feign client: it cannot be inspected (%s)".formatted(ex.getMessage()));
			}
		}
		return ClientAdditions.of(found, balancers);
	}

	@Override
	public boolean isOfSpring() {
		return false;
	}

	@Override
	public Reply received(Reply reply) {
		return FeignReplies.received(reply, this.urlConnection);
	}

	@Override
	public @Nullable IOException raisedBelow(PathException failure) {
		return FeignReplies.failure(failure, this.urlConnection);
	}

}
