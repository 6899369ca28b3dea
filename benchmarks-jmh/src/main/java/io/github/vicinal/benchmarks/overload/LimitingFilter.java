package io.github.vicinal.benchmarks.overload;

import java.io.IOException;
import java.util.Optional;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.filter.OncePerRequestFilter;

/** Filter at which an opponent lets requests in. Health checks pass it. */
final class LimitingFilter extends OncePerRequestFilter {

	private final Control.@Nullable Admission admission;

	LimitingFilter(Control.@Nullable Admission admission) {
		this.admission = admission;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		return this.admission == null || request.getRequestURI().startsWith("/actuator");
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Optional<Runnable> admitted = (this.admission != null) ? this.admission.enter() : Optional.empty();
		if (admitted.isEmpty()) {
			response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
			response.setContentLength(0);
			return;
		}
		try {
			chain.doFilter(request, response);
		}
		finally {
			admitted.get().run();
		}
	}

}
