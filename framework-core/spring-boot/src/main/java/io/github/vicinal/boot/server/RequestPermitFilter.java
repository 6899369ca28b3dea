package io.github.vicinal.boot.server;

import java.io.IOException;
import java.util.function.Predicate;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.Permit;

/**
 * Lets HTTP requests to handlers wait for their permit, on the web server's thread. The
 * permit is returned when that thread returns: an asynchronous response may go on.
 */
public final class RequestPermitFilter extends OncePerRequestFilter {

	private final RequestPermits permits;

	private final Predicate<String> handled;

	private final Predicate<String> contracts;

	/**
	 * Creates the filter.
	 * @param permits who decides
	 * @param handled knows the paths that are for a permit, without context and servlet
	 * @param contracts knows the contracts that are offered
	 */
	public RequestPermitFilter(RequestPermits permits, Predicate<String> handled, Predicate<String> contracts) {
		this.permits = permits;
		this.handled = handled;
		this.contracts = contracts;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		String within = request.getPathInfo();
		return !this.handled.test((within != null) ? within : request.getServletPath());
	}

	@Override
	@SuppressWarnings("try")
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		TypedCall call = TypedCall.of(request);
		String channel = (call != null) ? call.frame().contract().name()
				: channel(request.getHeader(PeerAnnouncement.REQUEST_HEADER));
		Priority priority = this.permits.priority(channel);
		Permit permit;
		try {
			permit = (call != null)
					? this.permits.enter(channel, priority, call.frame().deadlineNanos(), call.beforeWaiting())
					: this.permits.enter(channel, priority, RequestServer.NO_DEADLINE, RequestPermitFilter::waits);
		}
		catch (RejectedRequestException ex) {
			if (call != null && isGone(ex.rejection())) {
				call.refused(ex);
				return;
			}
			refuse(response, ex.rejection());
			return;
		}
		try (permit) {
			chain.doFilter(request, response);
		}
	}

	/** Nobody waits for the answer any more. */
	private static boolean isGone(Rejection refusal) {
		return refusal.reason() == Rejection.Reason.DEADLINE || refusal.reason() == Rejection.Reason.INTERRUPTED;
	}

	/** Anybody can write anything into a header. */
	private String channel(@Nullable String asked) {
		String contract = (asked != null) ? ContractInquiry.parse(asked).contract() : null;
		return (contract != null && this.contracts.test(contract)) ? contract : RequestPermits.OTHER;
	}

	/** The web server's thread has nothing else to do. */
	private static void waits() {
	}

	private static void refuse(HttpServletResponse response, Rejection refusal) throws IOException {
		Reply.Failure failure = RequestPermits.failure(refusal);
		response.setStatus(failure.status());
		failure.headers().forEach((name, values) -> {
			if (!name.equals(Rejection.HEADER)) {
				response.setHeader(name, values.get(0));
			}
		});
		ChannelResponse.refused(response, refusal);
		response.setContentLength(failure.body().length);
		response.getOutputStream().write(failure.body());
	}

}
