package io.github.vicinal.boot.client;

import java.util.Optional;

import io.github.vicinal.boot.contract.ResultShape;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;

/** Gives a reply the form that the contract method returns. */
final class ResultAdapter {

	private ResultAdapter() {
	}

	static @Nullable Object adapt(ResultShape shape, Reply.Value reply) {
		Object body = ResultShape.asOverHttp(reply.body());
		return switch (shape.envelope()) {
			case NONE -> body;
			case OPTIONAL -> Optional.ofNullable(body);
			case ENTITY -> new ResponseEntity<>(body, headers(reply), HttpStatusCode.valueOf(reply.status()));
			case HEADERS -> headers(reply);
		};
	}

	private static HttpHeaders headers(Reply.Value reply) {
		HttpHeaders headers = new HttpHeaders();
		reply.headers().forEach(headers::addAll);
		return headers;
	}

}
