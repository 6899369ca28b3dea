package io.github.vicinal.boot.test;

import java.util.Set;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out what {@link ChannelTest} does not name. */
final class ChannelTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<ChannelTest> {

	private final Set<Class<?>> components;

	ChannelTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.components = Set.of(getAnnotation().getValue("components", Class[].class).orElse(new Class<?>[0]));
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.components;
	}

}
