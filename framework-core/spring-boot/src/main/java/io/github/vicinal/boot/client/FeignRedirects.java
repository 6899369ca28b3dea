package io.github.vicinal.boot.client;

import java.io.IOException;
import java.net.HttpRetryException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import feign.Client;
import feign.Request;
import feign.Response;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Follows redirects of Feign's requests as {@code HttpURLConnection} does, so that their
 * targets see no header of Vicinal.
 */
public final class FeignRedirects {

	private static final String NOT_REPEATED = "cannot retry due to redirection, in streaming mode";

	private FeignRedirects() {
	}

	/**
	 * Returns the options of a request whose redirect is followed afterwards.
	 * @param options the options of the client
	 * @return the same without redirects
	 */
	public static Request.Options without(Request.Options options) {
		return new Request.Options(options.connectTimeout(), options.connectTimeoutUnit(), options.readTimeout(),
				options.readTimeoutUnit(), false);
	}

	/**
	 * Follows a redirect.
	 * @param response the response, which may be one
	 * @param request its request
	 * @param uri where the request went
	 * @param options the options of the client
	 * @param client sends the next request, and follows further redirects
	 * @return what the caller gets
	 * @throws IOException what {@code HttpURLConnection} raises
	 */
	public static Response followed(Response response, Request request, URI uri, Request.Options options, Client client)
			throws IOException {
		int status = response.status();
		Collection<String> locations = response.headers().get(HttpHeaders.LOCATION);
		if (!options.isFollowRedirects() || status < 300 || status > 307 || status == 304 || status == 306
				|| locations == null || locations.isEmpty()) {
			return response;
		}
		String location = locations.iterator().next();
		URI target = resolved(uri, location);
		if (target == null || !String.valueOf(uri.getScheme()).equalsIgnoreCase(target.getScheme())) {
			return response;
		}
		response.close();
		if (request.body() != null) {
			throw new HttpRetryException(NOT_REPEATED, status, location);
		}
		return client.execute(redirected(request, uri, target, status), options).toBuilder().request(request).build();
	}

	private static @Nullable URI resolved(URI uri, String location) {
		try {
			return uri.resolve(location);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/** Returns the request that follows a redirect of one without a body. */
	private static Request redirected(Request request, URI from, URI to, int status) {
		boolean posted = request.httpMethod() == Request.HttpMethod.POST && status != 307;
		Map<String, Collection<String>> headers = new LinkedHashMap<>(posted ? Map.of() : request.headers());
		if (!String.valueOf(from.getRawAuthority()).equalsIgnoreCase(to.getRawAuthority())) {
			headers.keySet()
				.removeIf((name) -> name.equalsIgnoreCase(HttpHeaders.AUTHORIZATION)
						|| name.equalsIgnoreCase(HttpHeaders.COOKIE));
		}
		return Request.create(posted ? Request.HttpMethod.GET : request.httpMethod(), to.toString(), headers,
				(byte[]) null, StandardCharsets.UTF_8, request.requestTemplate());
	}

}
