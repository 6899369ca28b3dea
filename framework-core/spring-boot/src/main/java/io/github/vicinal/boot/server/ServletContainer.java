package io.github.vicinal.boot.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The servlet container that serves the application. Requests of typed calls pass its
 * pipeline without a socket. Thread-safe.
 */
interface ServletContainer extends FrameRequest.Container {

	/** Returns how long the line and the headers of a request can be, in bytes. */
	int maxRequestHeaderBytes();

	/** Returns how long the headers of a response can be, in bytes. */
	int maxResponseHeaderBytes();

	/**
	 * Returns why a call has to pass the container's pipeline although no filter and no
	 * interceptor is in its way.
	 * @return what stands in it, or {@code null}
	 */
	@Nullable String foreign();

	/**
	 * Returns whether a filter is mapped to all paths or all servlets in a way that
	 * {@link jakarta.servlet.FilterRegistration} does not show.
	 * @param filter the name of the filter
	 */
	boolean isForAll(String filter);

	/**
	 * Serves a call on the calling thread, from the first valve to the handler and back.
	 * @param call the call, which notes its outcome
	 * @return the response, as it would have been sent
	 * @throws IOException if the container would have closed the connection instead
	 */
	Response serve(TypedCall call) throws IOException;

	/**
	 * A response.
	 *
	 * @param status the status code
	 * @param headers its headers, without those about the connection and the length
	 * @param body the body, as far as bytes were written
	 * @param cutOff whether the container closed the connection before the body's end
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Response(int status, Map<String, List<String>> headers, byte[] body, boolean cutOff) {
	}

}
