package io.github.vicinal.boot.kit;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Lets the applications of tests start without packages that are searched for contracts
 * and Jackson's mix-ins: each start would read all classes of this module and its tests.
 * Applications with the property {@code test.packages} have their packages.
 */
final class WithoutPackages implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		if (!context.getEnvironment().getProperty("test.packages", Boolean.class, false)) {
			context.addBeanFactoryPostProcessor(WithoutPackages::remove);
		}
	}

	private static void remove(ConfigurableListableBeanFactory beanFactory) {
		if (AutoConfigurationPackages.has(beanFactory)) {
			((BeanDefinitionRegistry) beanFactory).removeBeanDefinition(AutoConfigurationPackages.class.getName());
		}
	}

}
