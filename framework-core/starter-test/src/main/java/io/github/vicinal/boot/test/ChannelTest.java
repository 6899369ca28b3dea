package io.github.vicinal.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of clients: HTTP interfaces of the application's groups with their channels, and
 * none of its components but those that are included. There is no web server; a
 * {@link StubServer} takes the place of the services that are called.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(ChannelTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(ChannelTypeExcludeFilter.class)
@AutoConfigureChannels
@ImportAutoConfiguration
public @interface ChannelTest {

	/**
	 * Returns properties for the environment, before the context is made.
	 * @return each {@code key=value}
	 */
	String[] properties() default {};

	/**
	 * Returns the components of the application that the test is about.
	 * @return classes; an alias for {@link #components()}
	 */
	@AliasFor("components")
	Class<?>[] value() default {};

	/**
	 * Returns the components of the application that the test is about.
	 * @return classes
	 */
	@AliasFor("value")
	Class<?>[] components() default {};

	/**
	 * Returns whether {@link #components()} are taken from the application.
	 * @return {@code false} for none but what {@link #includeFilters()} add
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Returns filters that add components which are left out otherwise.
	 * @return filters
	 */
	Filter[] includeFilters() default {};

	/**
	 * Returns filters that leave components out.
	 * @return filters
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Returns auto-configurations that are left out.
	 * @return classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
