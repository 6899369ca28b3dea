package io.github.vicinal.boot.server;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.web.context.support.RequestHandledEvent;
import org.springframework.web.context.support.ServletRequestHandledEvent;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;

/** Which applications have something that gets the events of requests. */
class RequestListenersTests {

	/** With all that Boot configures where these tests run. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aPlainApplicationHasNone(boolean lazy) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Plain.class)
			.web(WebApplicationType.SERVLET)
			.properties("server.port=0", "spring.main.lazy-initialization=" + lazy)
			.run()) {
			assertThat(RequestListeners.foreign(context)).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Typed.class, General.class, Lambda.class, LazyLambda.class, Prototype.class, Smart.class,
			Generic.class, Annotated.class, AnnotatedClasses.class, AnnotatedObject.class, OwnMulticaster.class })
	void listenersThatMayGetTheEventAreFound(Class<?> configuration) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(configuration)) {
			assertThat(RequestListeners.foreign(context)).isNotNull();
		}
	}

	@ParameterizedTest
	@ValueSource(
			classes = { OtherLambda.class, OtherLazy.class, OtherSmart.class, OtherSource.class, OtherAnnotated.class })
	void listenersOfOtherEventsAreNotFound(Class<?> configuration) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(configuration)) {
			assertThat(RequestListeners.foreign(context)).isNull();
		}
	}

	@Test
	void parentsGetTheEventsOfTheirChildren() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Typed.class);
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(parent);
			child.refresh();
			assertThat(RequestListeners.foreign(child)).contains("TypedListener");
		}
	}

	@Test
	void aListenerThatWasAddedIsNamed() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.addApplicationListener(new TypedListener());
			context.refresh();
			assertThat(RequestListeners.foreign(context))
				.isEqualTo("the event listener RequestListenersTests.TypedListener");
		}
	}

	private static void ignore(ApplicationEvent event) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Plain {

		@Bean
		ApplicationListener<ApplicationReadyEvent> ready() {
			return RequestListenersTests::ignore;
		}

	}

	static class TypedListener implements ApplicationListener<RequestHandledEvent> {

		@Override
		public void onApplicationEvent(RequestHandledEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Typed {

		@Bean
		TypedListener listener() {
			return new TypedListener();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class General implements ApplicationListener<ApplicationEvent> {

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambda {

		@Bean
		ApplicationListener<ServletRequestHandledEvent> listener() {
			return RequestListenersTests::ignore;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyLambda {

		@Bean
		@Lazy
		ApplicationListener<ServletRequestHandledEvent> listener() {
			return RequestListenersTests::ignore;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Prototype {

		@Bean
		@Scope("prototype")
		TypedListener listener() {
			return new TypedListener();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Smart implements SmartApplicationListener {

		@Override
		public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
			return type == ServletRequestHandledEvent.class;
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Generic implements GenericApplicationListener {

		@Override
		public boolean supportsEventType(ResolvableType type) {
			return type.isAssignableFrom(ServletRequestHandledEvent.class);
		}

		@Override
		public boolean supportsSourceType(@Nullable Class<?> type) {
			return type != null && DispatcherServlet.class.isAssignableFrom(type);
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Annotated {

		@EventListener
		void handled(RequestHandledEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnnotatedClasses {

		@EventListener({ ContextRefreshedEvent.class, ServletRequestHandledEvent.class })
		void handled() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnnotatedObject {

		@EventListener
		void handled(Object event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMulticaster {

		@Bean
		SimpleApplicationEventMulticaster applicationEventMulticaster() {
			return new SimpleApplicationEventMulticaster() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherLambda {

		@Bean
		ApplicationListener<ContextRefreshedEvent> listener() {
			return RequestListenersTests::ignore;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherLazy {

		@Bean
		@Lazy
		ApplicationListener<ContextRefreshedEvent> listener() {
			return RequestListenersTests::ignore;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherSmart implements SmartApplicationListener {

		@Override
		public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
			return type == ContextRefreshedEvent.class;
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherSource implements SmartApplicationListener {

		@Override
		public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
			return true;
		}

		@Override
		public boolean supportsSourceType(@Nullable Class<?> type) {
			return type == String.class;
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherAnnotated {

		@EventListener
		void refreshed(ContextRefreshedEvent event) {
		}

	}

}
