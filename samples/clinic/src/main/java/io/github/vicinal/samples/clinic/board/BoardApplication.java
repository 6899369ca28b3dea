package io.github.vicinal.samples.clinic.board;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.function.client.WebClient;

/** The board: the services behind it check tokens. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(BoardController.class)
public class BoardApplication {

	@Bean
	SecurityWebFilterChain boardChain(ServerHttpSecurity http) {
		return http.csrf((csrf) -> csrf.disable())
			.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
			.build();
	}

	@Bean
	WebClient owners(WebClient.Builder builder, @Value("${clinic.owners}") String url) {
		return builder.clone().baseUrl(url).build();
	}

	@Bean
	WebClient visits(WebClient.Builder builder, @Value("${clinic.visits}") String url) {
		return builder.clone().baseUrl(url).build();
	}

}
