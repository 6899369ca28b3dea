package io.github.vicinal.boot.client;

import java.lang.reflect.Field;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpResponse;

import org.jspecify.annotations.Nullable;

import org.springframework.http.client.ClientHttpResponse;

/**
 * Records whether an HTTP library followed a redirect. The hidden response may have set a
 * cookie, and the final response must not be cached, because it answers another request.
 */
public final class Redirects {

	private static final String RESPONSES = "org.springframework.http.client.";

	private Redirects() {
	}

	/** A response that is known to be that of the server that was asked. */
	public interface OfAskedServer {

	}

	/**
	 * Returns whether a response may be that of another request.
	 * @param response the response of the library
	 * @param asked where the request went
	 * @return {@code true} also if that cannot be seen
	 */
	public static boolean mayBeBehind(ClientHttpResponse response, URI asked) {
		try {
			return switch (response.getClass().getName()) {
				case RESPONSES + "JdkClientHttpResponse" ->
					!(field(response, "response") instanceof HttpResponse<?> known)
							|| known.previousResponse().isPresent();
				case RESPONSES + "SimpleClientHttpResponse" ->
					!(field(response, "connection") instanceof HttpURLConnection known)
							|| !known.getURL().toString().equals(asked.toASCIIString());
				case RESPONSES + "ReactorClientHttpResponse" -> NettyClients.isRedirected(field(response, "response"));
				case RESPONSES + "JettyClientHttpResponse" -> JettyClients.isRedirected(field(response, "response"));
				default -> !(response instanceof OfAskedServer);
			};
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return true;
		}
	}

	private static @Nullable Object field(Object target, String name) throws ReflectiveOperationException {
		Field field = target.getClass().getDeclaredField(name);
		field.setAccessible(true);
		return field.get(target);
	}

}
