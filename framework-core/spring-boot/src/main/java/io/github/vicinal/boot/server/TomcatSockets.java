package io.github.vicinal.boot.server;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.RequestFacade;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request's connection behind the changes of valves, such as
 * {@code RemoteIpValve}. Loaded only where Tomcat is. Thread-safe.
 */
final class TomcatSockets implements RequestSockets {

	/** Creates the view. */
	public TomcatSockets() {
	}

	@Override
	public @Nullable Socket of(HttpServletRequest request) {
		if (!(request instanceof RequestFacade)) {
			return null;
		}
		try {
			Request known = (Request) Fields.required(request, "request");
			return new Socket(known.getConnector().getScheme(), known.getPeerAddr(), known.getLocalAddr(),
					known.getLocalPort());
		}
		catch (UnknownLayoutException ex) {
			return null;
		}
	}

}
