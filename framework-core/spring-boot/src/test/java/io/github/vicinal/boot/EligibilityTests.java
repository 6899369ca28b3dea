package io.github.vicinal.boot;

import java.io.IOException;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonView;
import io.github.vicinal.boot.server.ServiceCatalog.ServiceSource;
import io.github.vicinal.server.AffinityService;
import io.github.vicinal.server.Service;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/** Conditions that keep a handler on HTTP because typed calls would bypass them. */
class EligibilityTests {

	private final WebApplicationContextRunner application = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withPropertyValues("server.port=0")
		.withUserConfiguration(Application.class);

	/** Returns why calls have to come by HTTP, empty if they need not. */
	private String refusal(Class<?>... components) {
		String[] refusal = new String[1];
		this.application.withUserConfiguration(components).run((context) -> {
			Service service = context.getBean(ServiceSource.class).find(Notes.class.getName());
			refusal[0] = Objects.requireNonNull(service).refusal().orElse("");
		});
		return refusal[0];
	}

	@Test
	void aPlainHandlerIsOffered() {
		assertThat(refusal(Plain.class)).isEmpty();
		assertThat(refusal(OfRequest.class)).as("behind a proxy there is one for each request").isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			WithBinder    | WithBinder has an @InitBinder method
			WithModel     | WithModel has a @ModelAttribute method
			ViewOfBody    | has a @JsonView
			Prototype     | Prototype is not a singleton
			""")
	void featuresThatTypedCallsWouldMissKeepAHandlerOnHttp(String controller, String reason) throws Exception {
		Class<?> type = Class.forName(EligibilityTests.class.getName() + "$" + controller);
		assertThat(refusal(type)).contains(reason);
	}

	/** Wherever they come from: no bean shows them. */
	@Test
	void soDoConvertersOfTheApplication() {
		assertThat(refusal(Plain.class, OwnMapper.class)).contains("another JsonMapper than the application's");
		assertThat(refusal(Plain.class, FirstConverter.class))
			.contains("a message converter for JSON in front of those for bytes and texts");
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMapper implements WebMvcConfigurer {

		@Override
		public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
			builder.withJsonConverter(new JacksonJsonHttpMessageConverter());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FirstConverter implements WebMvcConfigurer {

		@Override
		public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
			builder.configureMessageConvertersList((list) -> list.add(0, new JacksonJsonHttpMessageConverter()));
		}

	}

	@Test
	void soDoesAnAdviceThatPreparesModels() {
		assertThat(refusal(Plain.class, Preparing.class)).contains("Preparing has a @ModelAttribute method");
	}

	/** Such as those of libraries that bring an initializer of their own. */
	@Test
	void aFilterThatIsNoBeanHasToBePassed() {
		for (String pattern : new String[] { "/notes/*", "/elsewhere/*" }) {
			ServletContextInitializer registering = (context) -> context.addFilter("gate", new Gate())
				.addMappingForUrlPatterns(null, false, pattern);
			try (ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class, Plain.class)
				.initializers((context) -> ((GenericApplicationContext) context)
					.registerBean(ServletContextInitializer.class, () -> registering))
				.properties("server.port=0", "spring.main.banner-mode=off", "spring.mvc.servlet.load-on-startup=1")
				.run()) {
				Service service = started.getBean(ServiceSource.class).find(Notes.class.getName());
				assertThat(Objects.requireNonNull(service).refusal()).isEmpty();
				if (pattern.startsWith("/notes")) {
					assertThat(service.httpOnlyMethods().values()).singleElement()
						.asString()
						.contains("no HTTP request has shown yet", "the servlet filter gate");
				}
				else {
					assertThat(service.httpOnlyMethods()).isEmpty();
				}
			}
		}
	}

	private static final class Gate implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			throw new ServletException("closed");
		}

	}

	@HttpExchange("/notes")
	interface Notes {

		@PostExchange
		String add(@RequestBody Note note);

	}

	record Note(String text, @Nullable @JsonView(Object.class) String approvedBy) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@RestController
	static class Plain implements Notes {

		@Override
		public String add(Note note) {
			return note.text();
		}

	}

	@RestController
	@RequestScope
	static class OfRequest extends Plain {

	}

	/** A handler that is refused remains refused even if filters may be bypassed. */
	@RestController
	@AffinityService
	static class WithBinder extends Plain {

		@InitBinder
		void bind(WebDataBinder binder) {
			binder.setDisallowedFields("approvedBy");
		}

	}

	@RestController
	@AffinityService
	static class WithModel extends Plain {

		@ModelAttribute
		void check() {
			throw new IllegalStateException("closed on Sundays");
		}

	}

	@RestController
	@AffinityService
	static class ViewOfBody implements Notes {

		@Override
		public String add(@JsonView(String.class) Note note) {
			return String.valueOf(note.approvedBy());
		}

	}

	@RestController
	@AffinityService
	@Scope("prototype")
	static class Prototype extends Plain {

	}

	@ControllerAdvice
	static class Preparing {

		@ModelAttribute
		void check() {
			throw new IllegalStateException("closed on Sundays");
		}

	}

}
