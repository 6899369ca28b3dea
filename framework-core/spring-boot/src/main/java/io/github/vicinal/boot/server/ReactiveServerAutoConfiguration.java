package io.github.vicinal.boot.server;

import java.util.Objects;

import io.github.vicinal.boot.autoconfigure.CurrentIdentity;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.exchange.ExchangeService;
import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;

/**
 * Auto-configuration of reactive servers: HTTP exchanges where Reactor Netty is, and the
 * reason why there are no typed calls.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnProperty(name = { "vicinal.enabled", "vicinal.server.enabled" }, matchIfMissing = true)
public final class ReactiveServerAutoConfiguration {

	@Bean
	RefusalHeaderFilter vicinalRefusalHeaderFilter() {
		return new RefusalHeaderFilter();
	}

	@Bean
	ReactiveAnnouncementFilter vicinalReactiveAnnouncementFilter(ObjectProvider<PeerIdentity> identity,
			ObjectProvider<ReactiveInquiryFilter> inquiries) {
		return new ReactiveAnnouncementFilter(identity::getIfAvailable, inquiries.stream().findAny().isPresent());
	}

	/** Beans for applications with Reactor Netty. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "vicinal.http-exchanges.enabled", matchIfMissing = true)
	@ConditionalOnClass({ NettyReactiveWebServerFactory.class, reactor.netty.http.server.HttpServer.class })
	@ConditionalOnBean(Codecs.class)
	static class NettyExchangesConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		ConnectionTickets vicinalConnectionTickets() {
			return new ConnectionTickets();
		}

		@Bean
		@Lazy
		@ConditionalOnMissingBean
		ExchangeService vicinalExchangeService(ApplicationContext context, ConnectionTickets tickets, Codecs codecs,
				ObjectProvider<NettyReactiveWebServerFactory> factories) {
			return new ExchangeService(
					new NettyExchanges(() -> webServer(context), () -> factories.stream().toList(), tickets), codecs);
		}

		private static @Nullable WebServer webServer(ApplicationContext context) {
			return (context instanceof WebServerApplicationContext web) ? web.getWebServer() : null;
		}

		@Bean
		ServiceCatalog vicinalServiceCatalog(VicinalProperties properties, ObjectProvider<CurrentIdentity> self,
				ObjectProvider<ServiceRegistry> registry, ObjectProvider<PathServer> servers, ConnectionTickets tickets,
				ObjectProvider<ExchangeService> exchanges) {
			return new ServiceCatalog(() -> Objects.requireNonNull(self.getObject().current()),
					(name) -> name.equals(HttpExchanges.contract().name()) ? exchanges.getIfAvailable() : null,
					registry::getObject, () -> ServerPaths.offered(properties, servers), tickets);
		}

		@Bean
		ReactiveInquiryFilter vicinalReactiveInquiryFilter(ServiceCatalog catalog, Environment environment) {
			return new ReactiveInquiryFilter(catalog,
					() -> environment.getProperty("local.server.port", Integer.class, 0));
		}

	}

}
