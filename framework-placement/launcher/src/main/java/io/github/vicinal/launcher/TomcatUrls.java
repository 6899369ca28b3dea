package io.github.vicinal.launcher;

import java.lang.reflect.InvocationTargetException;

/**
 * Tomcat registers a handler of URLs with the JVM, which takes one only. The second
 * Tomcat of a JVM would fail; a server that serves no WAR does not need it.
 */
final class TomcatUrls {

	private static final String FACTORY = "org.apache.catalina.webresources.TomcatURLStreamHandlerFactory";

	private TomcatUrls() {
	}

	static void leaveToTheJvm(ClassLoader loader) throws ApplicationFailedException {
		try {
			Class.forName(FACTORY, true, loader).getMethod("disable").invoke(null);
		}
		catch (ClassNotFoundException ex) {
			// Another server, or none.
		}
		catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException | LinkageError ex) {
			throw new ApplicationFailedException(
					"its Tomcat cannot be kept from registering a handler of URLs with the JVM: " + ex);
		}
	}

}
