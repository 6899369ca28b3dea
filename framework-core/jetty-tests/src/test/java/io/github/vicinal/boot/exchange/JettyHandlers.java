package io.github.vicinal.boot.exchange;

import java.util.concurrent.CountDownLatch;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handlers of tests on Jetty. */
@RestController
class JettyHandlers {

	private final CountDownLatch never = new CountDownLatch(1);

	/** Ends when its thread is interrupted. */
	@PostMapping("/hang")
	String hang() throws InterruptedException {
		this.never.await();
		return "never";
	}

	@GetMapping("/address")
	String address(HttpServletRequest request) {
		return "%s %s %s %s:%d".formatted(request.getRemoteAddr(), request.getScheme(), request.isSecure(),
				request.getServerName(), request.getServerPort());
	}

}
