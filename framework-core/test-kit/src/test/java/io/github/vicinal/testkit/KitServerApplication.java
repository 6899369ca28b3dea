package io.github.vicinal.testkit;

import io.github.vicinal.testkit.server.KitServerConfiguration;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The kit's server as a Spring Boot application.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(KitServerConfiguration.class)
class KitServerApplication {

}
