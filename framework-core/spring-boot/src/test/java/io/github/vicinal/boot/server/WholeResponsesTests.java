package io.github.vicinal.boot.server;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/** Which handlers return their response as a value. */
class WholeResponsesTests {

	private final WholeResponses responses = new WholeResponses();

	static Stream<HandlerMethod> whole() {
		return methods(new Whole());
	}

	static Stream<HandlerMethod> others() {
		return Stream.concat(methods(new InParts()),
				methods(new Views()).filter((each) -> !each.getMethod().getName().equals("body")));
	}

	private static Stream<HandlerMethod> methods(Object controller) {
		return Arrays.stream(controller.getClass().getDeclaredMethods())
			.filter((method) -> !method.isSynthetic())
			.map((method) -> new HandlerMethod(controller, method));
	}

	@ParameterizedTest
	@MethodSource("whole")
	void valuesAre(HandlerMethod handler) {
		assertThat(this.responses.areOf(handler)).isTrue();
		assertThat(this.responses.areOf(handler)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("others")
	void whatMayBeWrittenInPartsIsNot(HandlerMethod handler) {
		assertThat(this.responses.areOf(handler)).isFalse();
	}

	/** One method, which returns what its class says. */
	@Test
	void aClassDecidesWhatAnInheritedMethodReturns() throws NoSuchMethodException {
		Method inherited = Base.class.getDeclaredMethod("get");
		assertThat(this.responses.areOf(new HandlerMethod(new OfText(), inherited))).isTrue();
		assertThat(this.responses.areOf(new HandlerMethod(new OfResource(), inherited))).isFalse();
		assertThat(this.responses.areOf(new HandlerMethod(new OfText(), inherited))).isTrue();
	}

	@ResponseBody
	abstract static class Base<T> {

		abstract T get();

	}

	static class OfText extends Base<List<String>> {

		@Override
		List<String> get() {
			return List.of();
		}

	}

	static class OfResource extends Base<Resource> {

		@Override
		Resource get() {
			return new ByteArrayResource(new byte[0]);
		}

	}

	@Test
	void aMethodOfAViewMayReturnAValue() {
		assertThat(methods(new Views()).filter((each) -> each.getMethod().getName().equals("body"))
			.allMatch(this.responses::areOf)).isTrue();
	}

	@Test
	void otherHandlersAreNot() {
		assertThat(this.responses.areOf(new Object())).isFalse();
	}

	@RestController
	static class Whole {

		String text(HttpServletRequest request, WebRequest web) {
			return "";
		}

		int number() {
			return 0;
		}

		void nothing() {
		}

		byte[] bytes() {
			return new byte[0];
		}

		List<String> list() {
			return List.of();
		}

		Map<String, Object> map() {
			return Map.of();
		}

		ResponseEntity<List<String>> entity() {
			return ResponseEntity.ok().build();
		}

		ResponseEntity<Void> empty() {
			return ResponseEntity.ok().build();
		}

		HttpEntity<String> of() {
			return ResponseEntity.ok().build();
		}

		ProblemDetail problem() {
			return ProblemDetail.forStatus(400);
		}

	}

	@RestController
	static class InParts {

		String toResponse(HttpServletResponse response) {
			return "";
		}

		void toStream(OutputStream stream) {
		}

		void toWriter(Writer writer) {
		}

		String byRequest(NativeWebRequest request) {
			return "";
		}

		Object anything() {
			return "";
		}

		ResponseEntity<?> entityOfAnything() {
			return ResponseEntity.ok().build();
		}

		@SuppressWarnings("rawtypes")
		HttpEntity raw() {
			return ResponseEntity.ok().build();
		}

		Resource resource() {
			return null;
		}

		ResponseEntity<Resource> entityOfResource() {
			return ResponseEntity.ok().build();
		}

		InputStream stream() {
			return InputStream.nullInputStream();
		}

		StreamingResponseBody body() {
			return null;
		}

		ResponseBodyEmitter emitter() {
			return null;
		}

		Callable<String> later() {
			return null;
		}

		CompletableFuture<String> future() {
			return null;
		}

		Flux<String> flux() {
			return null;
		}

		Iterator<String> iterator() {
			return null;
		}

		Iterable<String> iterable() {
			return null;
		}

		Stream<String> elements() {
			return null;
		}

	}

	@Controller
	static class Views {

		String view() {
			return "";
		}

		@ResponseBody
		String body() {
			return "";
		}

	}

}
