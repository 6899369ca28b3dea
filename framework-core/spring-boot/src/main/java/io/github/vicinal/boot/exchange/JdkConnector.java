package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.util.MultiValueMap;

/**
 * The JDK's client, by the parts of its connector.
 *
 * @param client the HTTP client
 * @param bufferFactory makes buffers of the connector
 * @param readTimeout the time until the head of a response has come, or {@code null}
 * @param cookieParser parses cookies of responses
 */
record JdkConnector(HttpClient client, DataBufferFactory bufferFactory, @Nullable Duration readTimeout,
		ResponseCookie.Parser cookieParser) implements ReactiveLibrary {

	static JdkConnector of(JdkClientHttpConnector connector) throws UnknownLayoutException {
		return new JdkConnector((HttpClient) Fields.required(connector, "httpClient"),
				(DataBufferFactory) Fields.required(connector, "bufferFactory"),
				(Duration) Fields.get(connector, "readTimeout"),
				(ResponseCookie.Parser) Fields.required(connector, "cookieParser"));
	}

	@Override
	public String name() {
		return JdkClientHttpConnector.class.getName();
	}

	@Override
	public @Nullable RedirectRules redirects() {
		return (this.client.followRedirects() != HttpClient.Redirect.NEVER) ? RedirectRules.JDK : null;
	}

	@Override
	public @Nullable Duration timeout() {
		Duration known = this.readTimeout;
		return (known != null && !known.isZero()) ? known : null;
	}

	@Override
	public boolean limitsWholeRequests() {
		return true;
	}

	@Override
	public boolean decodes() {
		return false;
	}

	/** The connector gives each request a body, if an empty one. */
	@Override
	public boolean saysEmpty(HttpMethod method) {
		return true;
	}

	@Override
	public String host(URI uri) {
		return OfLibraries.host(uri, false);
	}

	@Override
	public boolean measuresBodies() {
		return false;
	}

	@Override
	public DataBufferFactory buffers() {
		return DefaultDataBufferFactory.sharedInstance;
	}

	@Override
	public String cookies(ClientHttpRequest request) {
		return request.getCookies()
			.values()
			.stream()
			.flatMap((values) -> values.stream())
			.map(Object::toString)
			.collect(Collectors.joining(";"));
	}

	/** A request as the connector returns one. */
	@Override
	public Object nativeRequest(ClientHttpRequest request) {
		HttpRequest.Builder known = HttpRequest.newBuilder(request.getURI())
			.method(request.getMethod().name(), HttpRequest.BodyPublishers.noBody());
		request.getHeaders().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
				values.forEach((value) -> known.header(name, value));
			}
		});
		return known.build();
	}

	@Override
	public MultiValueMap<String, ResponseCookie> cookies(List<String> setCookies) {
		return this.cookieParser.parse(setCookies);
	}

	@Override
	public Throwable timedOut(Throwable cause) {
		HttpTimeoutException raised = new HttpTimeoutException("request timed out");
		raised.initCause(cause);
		return raised;
	}

	@Override
	public Throwable lost(boolean during, Throwable cause) {
		return during ? new IOException("The connection was closed in the middle of the response", cause) : cause;
	}

	@Override
	public Asking asking() {
		AskingJdkClient asking = new AskingJdkClient(this.client);
		return new Asking(with(asking), (response) -> asking.isOwn());
	}

	/** Returns the same connector with another client. */
	private ClientHttpConnector with(HttpClient other) {
		JdkClientHttpConnector connector = new JdkClientHttpConnector(other);
		connector.setBufferFactory(this.bufferFactory);
		connector.setCookieParser(this.cookieParser);
		Duration known = this.readTimeout;
		if (known != null) {
			connector.setReadTimeout(known);
		}
		return connector;
	}

}
