package io.github.vicinal.boot.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

import io.github.vicinal.boot.server.ReactiveAnnouncementFilter;
import io.github.vicinal.boot.server.RefusalHeaderFilter;
import io.github.vicinal.peer.PeerIdentity;

/**
 * Auto-configuration of reactive servers, which offer nothing over other paths than HTTP.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnProperty(name = { "vicinal.enabled", "vicinal.server.enabled" }, matchIfMissing = true)
public final class ReactiveServerAutoConfiguration {

	@Bean
	RefusalHeaderFilter vicinalRefusalHeaderFilter() {
		return new RefusalHeaderFilter();
	}

	@Bean
	ReactiveAnnouncementFilter vicinalReactiveAnnouncementFilter(ObjectProvider<PeerIdentity> identity) {
		return new ReactiveAnnouncementFilter(identity::getIfAvailable);
	}

}
