package io.github.vicinal.testkit.server;

import java.nio.charset.StandardCharsets;

import io.github.vicinal.testkit.contract.ArgumentsContract.Sku;
import io.github.vicinal.testkit.contract.ResultsContract.Answer;
import io.github.vicinal.testkit.server.ResponseController.AddingInterceptor;
import io.github.vicinal.testkit.server.ResponseController.Interceptions;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JacksonModule;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.format.FormatterRegistry;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * The kit's server, to be imported into a Spring MVC application. The application brings
 * a {@link KitPeers} bean, an {@link ObservationRegistry} that calls the handler beans
 * declared here, and a JSON mapper that uses the {@code JacksonModule} bean declared here
 * (Spring Boot does both by itself).
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Import({ ArgumentsController.class, BodiesController.class, ResultsController.class, ErrorsController.class,
		ErrorsAdvice.class, TimingController.class, ContextController.class, AdditionsController.class,
		VolumeController.class, ShapesController.class, StateController.class, ControlController.class,
		UntouchedController.class, RequestController.class, RequestController.Visits.class, ResponseController.class,
		ResponseController.Interceptions.class, KitServerConfiguration.ChangingAdvice.class })
public class KitServerConfiguration {

	@Bean
	Gates kitGates() {
		return new Gates();
	}

	@Bean
	Observations kitObservations() {
		return new Observations();
	}

	@Bean
	TraceHandler kitTraceHandler() {
		return new TraceHandler();
	}

	@Bean
	KitSurroundings kitSurroundings(ObjectProvider<ObservationRegistry> registry) {
		return new KitSurroundings(registry.getIfAvailable(() -> ObservationRegistry.NOOP));
	}

	@Bean
	JacksonModule kitJacksonModule() {
		return KitJson.module();
	}

	@Bean
	WebMvcConfigurer kitWebMvcConfigurer(Interceptions interceptions) {
		return new WebMvcConfigurer() {

			@Override
			public void addFormatters(FormatterRegistry registry) {
				registry.addConverter(String.class, Sku.class, (text) -> {
					int dash = text.lastIndexOf('-');
					return new Sku(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
				});
			}

			@Override
			public void addInterceptors(InterceptorRegistry registry) {
				registry.addInterceptor(new StampingInterceptor()).addPathPatterns("/kit/results/intercepted");
				registry.addInterceptor(new AddingInterceptor(interceptions))
					.addPathPatterns("/kit/response/intercepted/**");
			}

		};
	}

	static Resource text(String text) {
		return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8));
	}

	record KitSurroundings(ObservationRegistry registry) {

	}

	private static final class StampingInterceptor implements HandlerInterceptor {

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
			response.setHeader("X-Kit-Interceptor", "was here");
			return true;
		}

	}

	@RestControllerAdvice(assignableTypes = ResultsController.class)
	static class ChangingAdvice implements ResponseBodyAdvice<Object> {

		@Override
		public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
			return returnType.getMethod() != null && returnType.getMethod().getName().equals("changedByAdvice");
		}

		@Override
		public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter returnType, MediaType type,
				Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			response.getHeaders().set("X-Kit-Advice", "was here");
			return (body instanceof Answer answer) ? new Answer(answer.text() + ", advised") : body;
		}

	}

}
