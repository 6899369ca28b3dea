package io.github.vicinal.testkit.server;

import io.github.vicinal.testkit.contract.AdditionsContract;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

@RestController
class AdditionsController implements AdditionsContract {

	private final HttpServletRequest request;

	AdditionsController(HttpServletRequest request) {
		this.request = request;
	}

	@Override
	public String ping() {
		return "additions";
	}

	@Override
	public String header(String name) {
		return "seen " + this.request.getHeader(name);
	}

	@Override
	public String headerOfPost(String name, String body) {
		return "seen " + this.request.getHeader(name) + " with " + body;
	}

	@Override
	public Mono<String> headerLater(String name) {
		return Mono.just(header(name));
	}

	@Override
	public String named(@Nullable String added) {
		return "named " + added;
	}

	@Override
	public String cookieNamed(@Nullable String own) {
		return "own " + own + ", all " + this.request.getHeader(HttpHeaders.COOKIE);
	}

	@Override
	public String query(String asked) {
		return asked + " of " + this.request.getQueryString();
	}

	@Override
	public ResponseEntity<String> setCookie(String value) {
		return ResponseEntity.ok().header(HttpHeaders.SET_COOKIE, "kit=" + value + "; Path=/").body("set");
	}

	@Override
	public Label label(Label label) {
		return new Label("server", "shown", label.givenName() + "/" + label.shown());
	}

	@Override
	public Mono<Label> labelLater(Label label) {
		return Mono.just(label(label));
	}

	@Override
	public String number(int value) {
		return value + " of " + this.request.getQueryString();
	}

}
