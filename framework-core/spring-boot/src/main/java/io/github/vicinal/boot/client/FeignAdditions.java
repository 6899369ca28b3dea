package io.github.vicinal.boot.client;

import java.util.Collection;
import java.util.List;

import feign.Client;
import feign.Logger;
import feign.MethodHandlerConfiguration;
import feign.Param;
import feign.Request;
import feign.RequestInterceptor;
import feign.ResponseHandler;
import feign.ResponseInterceptor;
import feign.Target;
import feign.optionals.OptionalDecoder;
import io.github.vicinal.boot.client.ClientAdditions.Found;
import io.github.vicinal.boot.contract.BodyConverters;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.openfeign.FeignClientFactoryBean;
import org.springframework.cloud.openfeign.PropertyBasedTarget;
import org.springframework.cloud.openfeign.support.FeignHttpMessageConverters;
import org.springframework.cloud.openfeign.support.ResponseEntityDecoder;
import org.springframework.cloud.openfeign.support.SpringDecoder;
import org.springframework.cloud.openfeign.support.SpringEncoder;
import org.springframework.cloud.openfeign.support.SpringMvcContract;
import org.springframework.http.client.SimpleClientHttpRequestFactory;

/**
 * Finds what a Feign client adds to requests and makes of responses, by the handlers of
 * its methods: those hold what takes part in the end, wherever it was configured.
 */
final class FeignAdditions {

	private static final String METHOD_HANDLER = "feign.SynchronousMethodHandler";

	private static final String APACHE = "io.github.vicinal.boot.client.FeignApacheClient";

	private static final String EXPANDERS = SpringMvcContract.class.getName() + "$ConvertingExpanderFactory";

	private static final String TEMPLATES = "feign.RequestTemplateFactoryResolver$";

	private static final String ENCODING = TEMPLATES + "BuildEncodedTemplateFromArgs";

	private FeignAdditions() {
	}

	/**
	 * The handlers of one client.
	 *
	 * @param all one for each method
	 */
	record Handlers(List<Object> all) {
	}

	/** Returns the settings of a handler, {@code null} if it is no handler of Feign's. */
	static @Nullable MethodHandlerConfiguration configuration(Object handler) throws UnknownLayoutException {
		return handler.getClass().getName().equals(METHOD_HANDLER)
				? (MethodHandlerConfiguration) Fields.required(handler, "methodHandlerConfiguration") : null;
	}

	/** Returns the client that the requests of a handler go through. */
	static Client client(Object handler) throws UnknownLayoutException {
		return (Client) Fields.required(handler, "client");
	}

	/** Inspects a client. */
	static void inspect(Handlers handlers, Found found) throws UnknownLayoutException {
		Object first = handlers.all().get(0);
		MethodHandlerConfiguration configuration = configuration(first);
		if (configuration == null) {
			found.unsupported("method handler " + first.getClass().getName());
			return;
		}
		requests(configuration, found);
		client(client(first), configuration.getTarget(), found);
		responses((ResponseHandler) Fields.required(first, "responseHandler"), found);
		for (Object handler : handlers.all()) {
			template(handler, found);
		}
	}

	private static void requests(MethodHandlerConfiguration configuration, Found found) {
		for (RequestInterceptor interceptor : configuration.getRequestInterceptors()) {
			String name = interceptor.getClass().getName();
			found.unsupported(name.startsWith(FeignClientFactoryBean.class.getName() + "$$Lambda")
					? "default-request-headers or default-query-parameters of spring.cloud.openfeign.client.config"
					: "request interceptor " + name);
		}
		if (configuration.getLogLevel() != Logger.Level.NONE) {
			found.unsupported("log of requests with the level " + configuration.getLogLevel());
		}
		Class<?> target = configuration.getTarget().getClass();
		if (target != Target.HardCodedTarget.class && target != PropertyBasedTarget.class) {
			found.unsupported("target " + target.getName());
		}
		if (configuration.getOptions().getClass() != Request.Options.class) {
			found.unsupported("options that are refreshed");
		}
	}

	/** The client behind that of the channel is the library. */
	private static void client(Client client, Target<?> target, Found found) throws UnknownLayoutException {
		Client inner = FeignBalancers.inner(client);
		if (inner != null) {
			FeignBalancers.inspect(client, target.name(), found);
		}
		Client library = (inner != null) ? inner : client;
		if (library instanceof FeignChannelClient) {
			ClientAdditions.library(new SimpleClientHttpRequestFactory(), found);
		}
		else if (isApache(library)) {
			ApacheClients.inspect(((FeignApacheClient) library).library(), found);
		}
		else {
			found.unsupported("client %s (channels need feign.Client.Default, or Apache HttpClient 5 as Spring Cloud "
				.formatted(library.getClass().getName()) + "builds it)");
		}
	}

	private static void responses(ResponseHandler handler, Found found) throws UnknownLayoutException {
		if (handler.getClass() != ResponseHandler.class) {
			found.unsupported("response handler " + handler.getClass().getName());
			return;
		}
		if (Fields.required(handler, "executionChain") != ResponseInterceptor.Chain.DEFAULT) {
			found.unsupported("response interceptor");
		}
		if (!Boolean.TRUE.equals(Fields.get(handler, "closeAfterDecode"))
				|| !Boolean.FALSE.equals(Fields.get(handler, "decodeVoid"))) {
			found.unsupported("decoder that closes responses, or decodes those of void");
		}
		Object decoder = Fields.required(handler, "decoder");
		Object ofEntities = (decoder.getClass() == OptionalDecoder.class) ? Fields.required(decoder, "delegate")
				: decoder;
		Object ofSpring = (ofEntities.getClass() == ResponseEntityDecoder.class)
				? Fields.required(ofEntities, "decoder") : ofEntities;
		if (decoder == ofEntities || ofEntities == ofSpring || ofSpring.getClass() != SpringDecoder.class) {
			found.unsupported("decoder " + ofSpring.getClass().getName());
			return;
		}
		converters(ofSpring, found);
	}

	private static void template(Object handler, Found found) throws UnknownLayoutException {
		MethodHandlerConfiguration configuration = configuration(handler);
		if (configuration == null) {
			found.unsupported("method handler " + handler.getClass().getName());
			return;
		}
		Object factory = configuration.getBuildTemplateFromArgs();
		if (factory.getClass().getName().equals(ENCODING)) {
			Object encoder = Fields.required(factory, "encoder");
			if (isPageable(encoder)) {
				encoder = Fields.required(encoder, "delegate");
			}
			if (encoder.getClass() == SpringEncoder.class) {
				converters(encoder, found);
			}
			else {
				found.unsupported("encoder " + encoder.getClass().getName());
			}
		}
		else if (!factory.getClass().getName().startsWith(TEMPLATES)) {
			found.unsupported("templates of " + factory.getClass().getName());
		}
		Collection<Param.Expander> expanders = (configuration.getMetadata().indexToExpander() != null)
				? configuration.getMetadata().indexToExpander().values() : List.of();
		for (Param.Expander expander : expanders) {
			if (expander.getClass().getName().startsWith(EXPANDERS)) {
				found.different(Conversions.difference(Fields.firstNamed(expander, EXPANDERS)));
			}
			else if (!expander.getClass().getName().startsWith("org.springframework.cloud.openfeign.")) {
				found.unsupported("expander " + expander.getClass().getName());
			}
		}
	}

	/** The class is loaded only where Apache HttpClient is. */
	static boolean isApache(Client client) {
		return client.getClass().getName().equals(APACHE);
	}

	/** Loaded only where Spring Data is. */
	private static boolean isPageable(Object encoder) {
		return encoder.getClass().getName().equals("org.springframework.cloud.openfeign.support.PageableSpringEncoder");
	}

	private static void converters(Object coder, Found found) throws UnknownLayoutException {
		ObjectProvider<?> provider = (ObjectProvider<?>) Fields.required(coder, "converters");
		if (provider.getObject() instanceof FeignHttpMessageConverters known) {
			found.different(BodyConverters.difference(known.getConverters(), found.application().mapper()));
		}
	}

}
