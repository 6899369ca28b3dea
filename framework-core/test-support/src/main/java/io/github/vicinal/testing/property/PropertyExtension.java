package io.github.vicinal.testing.property;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

import io.github.vicinal.testing.DeepTests;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Calls a {@link Property} as often as it wants to be tried. The first failure ends it;
 * its message names the try, the seed and the arguments.
 */
final class PropertyExtension implements ParameterResolver, InvocationInterceptor {

	static final String SEED = "vicinal.test.seed";

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.isAnnotated(ForAll.class);
	}

	/** JUnit resolves arguments before it hands over the call, which ignores them. */
	@Override
	public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return Arguments.of(parameter.getParameter(), context.getRequiredTestInstance(), new Gen(0));
	}

	@Override
	public void interceptTestMethod(Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> call,
			ExtensionContext context) throws Throwable {
		invocation.skip();
		Method method = call.getExecutable();
		method.setAccessible(true);
		Property property = method.getAnnotation(Property.class);
		int tries = DeepTests.areRun() ? Math.max(property.tries(), property.deepTries()) : property.tries();
		long seed = seed(context);
		Object instance = context.getRequiredTestInstance();
		Gen seeds = new Gen(seed);
		for (int i = 1; i <= tries; i++) {
			Gen gen = new Gen(seeds.integer(Long.MIN_VALUE, Long.MAX_VALUE));
			Parameter[] parameters = method.getParameters();
			@Nullable Object[] arguments = new Object[parameters.length];
			for (int at = 0; at < parameters.length; at++) {
				arguments[at] = Arguments.of(parameters[at], instance, gen);
			}
			String text = Arguments.describe(parameters, arguments);
			try {
				method.invoke(instance, arguments);
			}
			catch (InvocationTargetException ex) {
				if (!(ex.getCause() instanceof TestAbortedException)) {
					throw new PropertyFailure("Try %d of %d with seed %d (repeat with -D%s=%d): %s: %s".formatted(i,
							tries, seed, SEED, seed, text, ex.getCause()), ex.getCause());
				}
			}
		}
	}

	/** The default differs by property, so that they do not all try the same values. */
	private static long seed(ExtensionContext context) {
		String seed = System.getProperty(SEED, "");
		if (seed.isEmpty()) {
			return context.getRequiredTestClass().getName().hashCode() * 31L
					+ context.getRequiredTestMethod().getName().hashCode();
		}
		return seed.equals("random") ? ThreadLocalRandom.current().nextLong() : Long.parseLong(seed);
	}

	/** A property does not hold. */
	private static final class PropertyFailure extends AssertionError {

		PropertyFailure(String message, @Nullable Throwable cause) {
			super(message, cause);
			if (cause != null) {
				// The reports of builds begin with the place of the failure in the test.
				setStackTrace(Arrays.copyOf(cause.getStackTrace(), cause.getStackTrace().length));
			}
		}

	}

}
