package io.github.vicinal.boot.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import feign.Client;
import feign.Request;
import feign.Response;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.io.entity.BasicHttpEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Feign's client on Apache HttpClient 5. Requests that belong to a channel ask their peer
 * within the chain of that client, so that its redirects, retries and compression stand
 * in front of what is replayed. Thread-safe.
 */
final class FeignApacheClient implements Client {

	private final HttpLegs legs;

	/** Makes the requests. */
	private final Client delegate;

	private final Element element;

	private FeignApacheClient(HttpLegs legs, Client delegate, Element element) {
		this.legs = legs;
		this.delegate = delegate;
		this.element = element;
	}

	/**
	 * Wraps a client.
	 * @param client Feign's client on Apache HttpClient 5
	 * @return the wrapped client, or the same if it has no {@link Element} of ours
	 */
	static Client wrapped(HttpLegs legs, Client client) throws UnknownLayoutException {
		Element element = element(Fields.required(client, "client"));
		return (element != null) ? new FeignApacheClient(legs, client, element) : client;
	}

	private static @Nullable Element element(Object client) throws UnknownLayoutException {
		for (Object each = Fields.get(client, "execChain"); each != null; each = Fields.get(each, "next")) {
			if (Fields.required(each, "handler") instanceof Element element) {
				return element;
			}
		}
		return null;
	}

	/** Returns the HTTP library's own client. */
	Object library() throws UnknownLayoutException {
		return Fields.required(this.delegate, "client");
	}

	@Override
	public Response execute(Request request, Request.Options options) throws IOException {
		HttpLeg leg = this.legs.current();
		URI uri = (leg != null && FeignChannelClient.isOf(leg, request.requestTemplate()))
				? FeignChannelClient.uri(request) : null;
		if (leg == null || uri == null) {
			return this.delegate.execute(request, options);
		}
		if (leg.inspects()) {
			leg.inspect(false, FeignChannelClient.timeout(options), List.of());
		}
		URI target = leg.target(uri);
		Request sent = (target == uri) ? request : Request.create(request.httpMethod(), target.toString(),
				request.headers(), request.body(), request.charset(), request.requestTemplate());
		Pending outer = this.element.pending.get();
		this.element.pending.set(new Pending(leg, uri, FeignChannelClient.headers(request.headers())));
		try {
			Response response = this.delegate.execute(sent, options);
			if (response.status() != leg.status()) {
				leg.followed(response.status());
			}
			return response.toBuilder().request(request).build();
		}
		finally {
			if (outer != null) {
				this.element.pending.set(outer);
			}
			else {
				this.element.pending.remove();
			}
		}
	}

	/** A request of a call, on its way to the library's chain. */
	private static final class Pending {

		private final HttpLeg leg;

		private final URI uri;

		private final HttpHeaders headers;

		/** The request as the library has made it. */
		private @Nullable String made;

		Pending(HttpLeg leg, URI uri, HttpHeaders headers) {
			this.leg = leg;
			this.uri = uri;
			this.headers = headers;
		}

		/** Whether this is not the request that follows a redirect. */
		boolean is(ClassicHttpRequest request) {
			String asked = request.getMethod() + " " + request.getScheme() + "://" + request.getAuthority()
					+ request.getPath();
			if (this.made == null) {
				this.made = asked;
			}
			return this.made.equals(asked);
		}

	}

	/** The element of the library's chain that asks. */
	static final class Element implements ExecChainHandler {

		/** Name of the element in the chain. */
		static final String NAME = "VICINAL-CHANNELS";

		private final HttpLegs legs;

		private final PlainRequests plain;

		private final ThreadLocal<@Nullable Pending> pending = new ThreadLocal<>();

		Element(HttpLegs legs, PlainRequests plain) {
			this.legs = legs;
			this.plain = plain;
		}

		@Override
		public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
				throws IOException, HttpException {
			Pending own = this.pending.get();
			if (own == null || own.leg != this.legs.current() || !own.leg.awaits() || !own.is(request)) {
				return chain.proceed(request, scope);
			}
			own.leg.fail();
			Reply.Failure replayed = own.leg.replay();
			if (replayed != null) {
				ClassicHttpResponse response = response(replayed, request);
				scope.clientContext.setRoute(scope.route);
				scope.clientContext.setRequest(request);
				scope.clientContext.setResponse(response);
				return response;
			}
			return sent(own, request, scope, chain);
		}

		private ClassicHttpResponse sent(Pending own, ClassicHttpRequest request, ExecChain.Scope scope,
				ExecChain chain) throws IOException, HttpException {
			HttpLeg leg = own.leg;
			leg.sending(own.uri, own.headers);
			boolean asks = !leg.leavesToExchanges(this.plain::paths) && !leg.elsewhere();
			if (asks) {
				leg.ask(RequestSize.of(own.uri, own.headers), HttpLeg.names(own.headers), false, request::setHeader);
			}
			ClassicHttpResponse response;
			leg.executing(true);
			try {
				response = chain.proceed(request, scope);
			}
			finally {
				leg.executing(false);
				request.removeHeaders(PeerAnnouncement.SENT_HEADERS_HEADER);
				request.removeHeaders(PeerAnnouncement.REQUEST_HEADER);
			}
			HttpHeaders answered = new HttpHeaders();
			for (Header header : response.getHeaders()) {
				answered.add(header.getName(), header.getValue());
			}
			leg.answered(own.uri, response.getCode(), answered);
			return response;
		}

		private static ClassicHttpResponse response(Reply.Failure failure, ClassicHttpRequest request) {
			BasicClassicHttpResponse response = new BasicClassicHttpResponse(failure.status(), "");
			response.setVersion(HttpVersion.HTTP_1_1);
			Map<String, Collection<String>> headers = new LinkedHashMap<>();
			failure.headers().forEach((name, values) -> headers.put(name, new ArrayList<>(values)));
			headers.remove(Reply.Failure.CUT_OFF_HEADER);
			headers.forEach((name, values) -> values.forEach((value) -> response.addHeader(name, value)));
			int status = failure.status();
			if (status < 200 || status == 204 || status == 304 || request.getMethod().equals("HEAD")) {
				return response;
			}
			Header type = response.getFirstHeader(HttpHeaders.CONTENT_TYPE);
			InputStream bytes = new ByteArrayInputStream(failure.body());
			response
				.setEntity(new BasicHttpEntity(failure.isCutOff() ? new CutOffBody(bytes, FeignReplies.CUT_OFF) : bytes,
						failure.isCutOff() ? -1 : failure.body().length,
						(type != null) ? ContentType.parseLenient(type.getValue()) : null, null, false));
			return response;
		}

	}

}
