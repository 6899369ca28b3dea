package io.github.vicinal.testkit;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.github.vicinal.testkit.contract.AdditionsContract;
import io.github.vicinal.testkit.contract.AdditionsContract.Label;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.MethodParameter;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.client.DefaultResponseErrorHandler;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.invoker.HttpRequestValues;
import org.springframework.web.service.invoker.HttpServiceArgumentResolver;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.DefaultUriBuilderFactory.EncodingMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Treatment of bodies, arguments and answers by settings of clients. The caller and the
 * server see the same as over HTTP.
 */
abstract class SettingBehaviours extends Behaviours {

	private static final Label LABEL = new Label("client", "given", null);

	private static final JsonMapper SNAKE_CASE = JsonMapper.builder()
		.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
		.build();

	private static final JsonMapper MIXED_IN = JsonMapper.builder().addMixIn(Label.class, WithoutShown.class).build();

	abstract static class WithoutShown {

		@JsonIgnore
		abstract @Nullable String shown();

	}

	private Outcome sameWith(KitClient client, Kit.Call<AdditionsContract> call) {
		Outcome first = kit().compareSettled(AdditionsContract.class, client, call);
		// The path is open at this point, if the client may use one.
		kit().compareSettled(AdditionsContract.class, client, call);
		return first;
	}

	private static KitClient blocking(Consumer<RestClient.Builder> customizer) {
		return KitClient.BLOCKING.withRestClient(customizer);
	}

	private Outcome sameLabel(KitClient client) {
		return sameWith(client, (additions) -> additions.label(LABEL));
	}

	private static void assertLabel(Outcome outcome, Label expected) {
		assertThat(outcome.value()).isEqualTo(expected);
	}

	@Test
	@DisplayName("a JSON mapper with a naming strategy of its own")
	void namingStrategy() {
		KitClient client = blocking(
				(builder) -> builder.configureMessageConverters((converters) -> converters.registerDefaults()
					.withJsonConverter(new JacksonJsonHttpMessageConverter(SNAKE_CASE))));
		assertLabel(sameLabel(client), new Label(null, "shown", "null/given"));
	}

	@Test
	@DisplayName("a JSON mapper with a mix-in of its own")
	void mixIn() {
		KitClient client = blocking(
				(builder) -> builder.configureMessageConverters((converters) -> converters.registerDefaults()
					.withJsonConverter(new JacksonJsonHttpMessageConverter(MIXED_IN))));
		assertLabel(sameLabel(client), new Label("server", null, "client/null"));
	}

	@Test
	@DisplayName("another JSON mapper for one type")
	void mapperOfOneType() {
		JacksonJsonHttpMessageConverter converter = new JacksonJsonHttpMessageConverter();
		converter.registerMappersForType(Label.class, (mappers) -> mappers.put(MediaType.APPLICATION_JSON, SNAKE_CASE));
		KitClient client = blocking((builder) -> builder
			.configureMessageConverters((converters) -> converters.registerDefaults().withJsonConverter(converter)));
		assertLabel(sameLabel(client), new Label(null, "shown", "null/given"));
	}

	@Test
	@DisplayName("a message converter for one type")
	void converterOfOneType() {
		KitClient client = blocking((builder) -> builder.configureMessageConverters(
				(converters) -> converters.registerDefaults().addCustomConverter(new LabelConverter())));
		Label fixed = new Label("converted", "converted", "converted");
		assertLabel(sameLabel(client), fixed);
	}

	@Test
	@DisplayName("a message converter put first into the list")
	@SuppressWarnings("removal")
	void converterInList() {
		KitClient client = blocking(
				(builder) -> builder.messageConverters((converters) -> converters.add(0, new Loud())));
		assertThat(sameWith(client, (additions) -> additions.named(null)).value()).isEqualTo("NAMED NULL");
	}

	@Test
	@DisplayName("no message converter but one for texts")
	@SuppressWarnings("removal")
	void textConverterOnly() {
		KitClient client = blocking((builder) -> builder.messageConverters(
				List.<HttpMessageConverter<?>>of(new StringHttpMessageConverter(StandardCharsets.UTF_8))));
		sameWith(client, (additions) -> additions.named(null));
		// The argument cannot be written, so nothing is sent.
		Outcome expected = kit().outcome(() -> kit().http(AdditionsContract.class, client).label(LABEL));
		kit().outcome(() -> kit().lenientPath(AdditionsContract.class, client).label(LABEL)).assertSameAs(expected);
	}

	@Test
	@DisplayName("a status handler for success")
	void statusHandler() {
		KitClient client = blocking(
				(builder) -> builder.defaultStatusHandler(HttpStatusCode::is2xxSuccessful, (request, response) -> {
					if (isOfLabel(request.getURI())) {
						throw new IllegalStateException("no success");
					}
				}));
		assertThat(sameLabel(client).failure(IllegalStateException.class)).hasMessage("no success");
	}

	@Test
	@DisplayName("a status handler for errors")
	void statusHandlerOfErrors() {
		KitClient client = blocking(
				(builder) -> builder.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
					throw new IllegalStateException("an error");
				}));
		assertLabel(same(AdditionsContract.class, client, (additions) -> additions.label(LABEL)),
				new Label("server", "shown", "client/given"));
	}

	@Test
	@DisplayName("an error handler that finds errors in any answer")
	void errorHandler() {
		KitClient client = blocking((builder) -> builder.defaultStatusHandler(new DefaultResponseErrorHandler() {

			@Override
			public boolean hasError(ClientHttpResponse response) {
				return true;
			}

			@Override
			public void handleError(URI uri, HttpMethod method, ClientHttpResponse response) {
				if (isOfLabel(uri)) {
					throw new IllegalStateException("an error");
				}
			}

		}));
		assertThat(sameLabel(client).failure(IllegalStateException.class)).hasMessage("an error");
	}

	/** Other calls show whether the server answers at all. */
	private static boolean isOfLabel(URI uri) {
		return uri.getPath().contains("/label");
	}

	@Test
	@DisplayName("a conversion service that writes numbers in its own way")
	void conversionService() {
		DefaultFormattingConversionService conversions = new DefaultFormattingConversionService();
		conversions.addConverter(Integer.class, String.class, (number) -> "00" + number);
		KitClient client = KitClient.BLOCKING.withProxyFactory((factory) -> factory.conversionService(conversions));
		assertThat(sameWith(client, (additions) -> additions.number(7)).value()).isEqualTo("7 of value=007");
	}

	@Test
	@DisplayName("an argument resolver that takes an argument")
	void argumentResolver() {
		KitClient client = KitClient.BLOCKING
			.withProxyFactory((factory) -> factory.customArgumentResolver(new Doubling()));
		assertThat(sameWith(client, (additions) -> additions.number(7)).value()).isEqualTo("14 of value=14");
	}

	@Test
	@DisplayName("default URI variables")
	void defaultUriVariables() {
		KitClient client = blocking((builder) -> builder.defaultUriVariables(Map.of("name", "X-Kit-Default")));
		sameWith(client, (additions) -> additions.header("X-Kit-Added"));
	}

	@Test
	@DisplayName("a URI builder factory with an encoding of its own")
	void encodingMode() {
		DefaultUriBuilderFactory uris = new DefaultUriBuilderFactory(kit().environment().baseUrl());
		uris.setEncodingMode(EncodingMode.VALUES_ONLY);
		KitClient client = blocking((builder) -> builder.uriBuilderFactory(uris));
		sameWith(client, (additions) -> additions.query("a+b c"));
	}

	@Test
	@DisplayName("buffered content")
	void bufferContent() {
		KitClient client = blocking((builder) -> builder.bufferContent((uri, method) -> true));
		assertLabel(same(AdditionsContract.class, client, (additions) -> additions.label(LABEL)),
				new Label("server", "shown", "client/given"));
	}

	@Test
	@DisplayName("reactive: codecs with a JSON mapper of their own")
	void reactiveCodecs() {
		KitClient client = KitClient.REACTIVE.withWebClient((builder) -> builder.codecs((codecs) -> {
			codecs.defaultCodecs().jacksonJsonDecoder(new JacksonJsonDecoder(SNAKE_CASE));
			codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(SNAKE_CASE));
		}));
		assertLabel(sameWith(client, (additions) -> additions.labelLater(LABEL).block()),
				new Label(null, "shown", "null/given"));
	}

	@Test
	@DisplayName("reactive: a status handler for success")
	void reactiveStatusHandler() {
		KitClient client = KitClient.REACTIVE.withWebClient((builder) -> builder
			.defaultStatusHandler(HttpStatusCode::is2xxSuccessful, (response) -> isOfLabel(response.request().getURI())
					? Mono.just(new IllegalStateException("no success")) : Mono.empty()));
		assertThat(sameWith(client, (additions) -> additions.labelLater(LABEL).block())
			.failure(IllegalStateException.class)).hasMessage("no success");
	}

	/** Reads and writes one type in a way that no other converter would. */
	private static final class LabelConverter extends AbstractHttpMessageConverter<Label> {

		LabelConverter() {
			super(MediaType.APPLICATION_JSON);
		}

		@Override
		protected boolean supports(Class<?> type) {
			return type == Label.class;
		}

		@Override
		protected Label readInternal(Class<? extends Label> type, HttpInputMessage input) throws IOException {
			input.getBody().readAllBytes();
			return new Label("converted", "converted", "converted");
		}

		@Override
		protected void writeInternal(Label label, HttpOutputMessage output) throws IOException {
			output.getBody().write("{}".getBytes(StandardCharsets.UTF_8));
		}

	}

	private static final class Loud extends StringHttpMessageConverter {

		@Override
		protected String readInternal(Class<? extends String> type, HttpInputMessage input) throws IOException {
			return super.readInternal(type, input).toUpperCase(Locale.ROOT);
		}

	}

	private static final class Doubling implements HttpServiceArgumentResolver {

		@Override
		public boolean resolve(@Nullable Object argument, MethodParameter parameter, HttpRequestValues.Builder values) {
			if (argument instanceof Integer number) {
				values.addRequestParameter("value", String.valueOf(number * 2));
				return true;
			}
			return false;
		}

	}

}
