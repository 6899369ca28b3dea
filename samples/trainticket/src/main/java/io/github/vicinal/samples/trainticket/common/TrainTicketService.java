package io.github.vicinal.samples.trainticket.common;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Marks the configuration class of one service: a Spring Boot application of its own that
 * names its beans itself instead of scanning for them, so that many services can live on
 * one class path.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ServiceDefaults.class)
public @interface TrainTicketService {

}
