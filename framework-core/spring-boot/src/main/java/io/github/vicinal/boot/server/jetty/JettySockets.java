package io.github.vicinal.boot.server.jetty;

import java.net.InetSocketAddress;

import io.github.vicinal.boot.server.RequestSockets;
import jakarta.servlet.http.HttpServletRequest;
import org.eclipse.jetty.ee11.servlet.ServletApiRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Looks behind what customizers of Jetty's connector make of a request, such as
 * {@code ForwardedRequestCustomizer}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class JettySockets implements RequestSockets {

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
