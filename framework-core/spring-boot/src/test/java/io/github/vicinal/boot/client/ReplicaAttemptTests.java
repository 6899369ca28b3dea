package io.github.vicinal.boot.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.List;
import java.util.Map;

import io.github.vicinal.replica.Locality;
import io.github.vicinal.replica.Replica;
import io.github.vicinal.replica.ReplicaChoice;
import io.github.vicinal.replica.ReplicaReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Conclusions from a failure about a replica, and conditions for going on at another one.
 */
class ReplicaAttemptTests {

	private final ReplicaChoice choice = new ReplicaChoice();

	private ReplicaAttempt attempt(String instance) {
		this.choice.update(List.of("a:8080"), (address) -> new ReplicaChoice.Located(Locality.ANY, ""));
		Replica replica = this.choice.choose();
		assertThat(replica).isNotNull();
		return new ReplicaAttempt(this.choice, replica, URI.create(instance), 2);
	}

	@ParameterizedTest
	@CsvSource({ "http://base/x/y?q=1#f, http://a:8080/x/y?q=1#f", "https://base:1, https://a:8080",
			"http://u@base?q=%2F, http://a:8080?q=%2F", "http://[::1]:9/%20, http://a:8080/%20" })
	void onlyTheAuthorityIsReplaced(String asked, String target) {
		String scheme = asked.substring(0, asked.indexOf(':'));
		assertThat(attempt(scheme + "://a:8080").target(URI.create(asked))).isEqualTo(URI.create(target));
	}

	@ParameterizedTest
	@CsvSource({ "200, false, true, false", "500, false, true, false", "404, true, true, false",
			"503, false, true, true", "503, false, false, false", "503, true, false, true" })
	void outcomesOfAnswers(int status, boolean refused, boolean idempotent, boolean goesOn) {
		ReplicaAttempt attempt = attempt("http://a:8080");
		attempt.answered(status, refused);
		attempt.end((Throwable) null);
		attempt.end((Throwable) null);
		assertThat(attempt.mayGoOn(idempotent, null)).isEqualTo(goesOn);
		ReplicaReport report = this.choice.report().get(0);
		assertThat(report.inFlight()).isZero();
		assertThat(report.refusals()).isEqualTo((status == 503) ? 1 : 0);
		assertThat(report.failures()).isEqualTo((status == 500) ? 1 : 0);
	}

	@Test
	void outcomesOfFailures() {
		assertFailure(new ConnectException("refused"), true, true, 1);
		assertFailure(new EOFException("closed"), true, false, 1);
		assertFailure(new SocketTimeoutException("read"), false, false, 1);
		assertFailure(new InterruptedIOException("interrupted"), false, false, 0);
		RuntimeException own = new IllegalStateException("the caller's own");
		ReplicaAttempt attempt = attempt("http://a:8080");
		attempt.end(own);
		assertThat(attempt.mayGoOn(true, own)).isFalse();
	}

	@Test
	void theTargetOfARedirectSaysNothing() {
		ResourceAccessException refused = new ResourceAccessException("I/O error", new ConnectException("refused"));
		ReplicaAttempt redirected = attempt("http://a:8080");
		redirected.redirected();
		redirected.end(refused);
		assertThat(redirected.mayGoOn(false, refused)).as("redirected").isFalse();
		assertThat(redirected.mayGoOn(true, refused)).as("redirected, idempotent").isTrue();
		ReplicaAttempt connected = attempt("http://a:8080");
		connected.failed(true);
		connected.end(refused);
		assertThat(connected.mayGoOn(false, refused)).as("connected").isFalse();
		assertThat(this.choice.report().get(0).failures()).isZero();
		ReplicaAttempt unsure = attempt("http://a:8080");
		unsure.failed(false);
		unsure.end(refused);
		assertThat(unsure.mayGoOn(false, refused)).as("unsure").isFalse();
		assertThat(this.choice.report().get(0).failures()).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "0, 1, 0", "503, 0, 1", "500, 1, 0", "404, 0, 0" })
	void whenALoadBalancerTriesAgainElsewhereTheAnswerIsAnothers(int status, int failures, int refusals) {
		ReplicaAttempt attempt = balanced("a:8080");
		attempt.sending("a:8080", false);
		if (status != 0) {
			attempt.answered(status, false);
		}
		attempt.sending("b:8080", true);
		attempt.answered(200, false);
		attempt.end((Throwable) null);
		ReplicaReport report = this.choice.report().get(0);
		assertThat(report.failures()).isEqualTo(failures);
		assertThat(report.refusals()).isEqualTo(refusals);
		assertThat(report.inFlight()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "a:8080, a:8080, 1", "::1:8080, '[::1]:8080', 1", "a:8080, A:8080, 1", "a:8080, b:8080, 0" })
	void onlyWhatWentToAReplicaIsHeldAgainstIt(String replica, String target, int failures) {
		ReplicaAttempt attempt = balanced(replica);
		attempt.sending(target, false);
		attempt.end(new ResourceAccessException("I/O error", new ConnectException("refused")));
		assertThat(this.choice.report().get(0).failures()).isEqualTo(failures);
	}

	private ReplicaAttempt balanced(String address) {
		this.choice.update(List.of(address), (each) -> new ReplicaChoice.Located(Locality.ANY, ""));
		Replica replica = this.choice.choose();
		assertThat(replica).isNotNull();
		return new ReplicaAttempt(this.choice, replica, Map.of());
	}

	private void assertFailure(IOException cause, boolean idempotentGoesOn, boolean otherGoesOn, int failures) {
		ResourceAccessException failure = new ResourceAccessException("I/O error", cause);
		ReplicaAttempt attempt = attempt("http://a:8080");
		long before = this.choice.report().get(0).failures();
		attempt.end(failure);
		assertThat(attempt.mayGoOn(true, failure)).as("%s, idempotent", cause).isEqualTo(idempotentGoesOn);
		assertThat(attempt.mayGoOn(false, failure)).as("%s, not idempotent", cause).isEqualTo(otherGoesOn);
		assertThat(this.choice.report().get(0).failures() - before).as(cause.toString()).isEqualTo(failures);
	}

}
