package io.github.vicinal.boot.server;

import java.net.InetSocketAddress;

import jakarta.servlet.http.HttpServletRequest;
import org.eclipse.jetty.ee11.servlet.ServletApiRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request's connection behind the changes of customizers of Jetty's connector,
 * such as {@code ForwardedRequestCustomizer}. Thread-safe.
 */
final class JettySockets implements RequestSockets {

	@Override
	public @Nullable Socket of(HttpServletRequest request) {
		if (!(request instanceof ServletApiRequest known)) {
			return null;
		}
		Request plain = Request.unWrap(known.getRequest());
		EndPoint socket = plain.getConnectionMetaData().getConnection().getEndPoint();
		if (!(socket.getRemoteSocketAddress() instanceof InetSocketAddress remote)
				|| !(socket.getLocalSocketAddress() instanceof InetSocketAddress local)) {
			return null;
		}
		return new Socket(plain.getHttpURI().getScheme(), Request.getHostName(remote), Request.getHostName(local),
				local.getPort());
	}

}
