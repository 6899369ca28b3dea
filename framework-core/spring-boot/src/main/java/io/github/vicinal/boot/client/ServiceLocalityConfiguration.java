package io.github.vicinal.boot.client;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Part of the context that Spring Cloud's load balancer has for each service. Not a
 * member class of an auto-configuration: those become part of the application, with or
 * without Spring Cloud.
 */
@Configuration(proxyBeanMethods = false)
class ServiceLocalityConfiguration {

	@Bean
	static BeanPostProcessor vicinalInstanceListPostProcessor(ObjectProvider<HttpLegs> legs) {
		return LocalityServiceInstanceListSupplier.wrapping(legs::getObject);
	}

}
