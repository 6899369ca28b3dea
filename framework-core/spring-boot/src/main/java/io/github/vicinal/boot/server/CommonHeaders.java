package io.github.vicinal.boot.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Knows the headers that Spring Security adds to each response when its chain ends. Over
 * HTTP it adds the same ones earlier where the response is committed earlier, so they do
 * not depend on the size of the answer. Thread-safe.
 */
final class CommonHeaders {

	private static final String FILTER = "org.springframework.security.web.header.HeaderWriterFilter";

	private static final StackWalker STACK = StackWalker.getInstance();

	/** Maximum number of headers that are remembered; others are looked at each time. */
	private static final int MAX_KNOWN = 64;

	/** Maximum number of stack frames between the filter and the response. */
	private static final int MAX_FRAMES = 40;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	/**
	 * Returns whether a header is one of Spring Security's.
	 * @param response what the handler has as its response
	 * @param name name of the header that is about to be set
	 * @param value its value
	 */
	boolean contains(@Nullable ServletResponse response, String name, String value) {
		if (!isWritten(response)) {
			return false;
		}
		String header = name + ": " + value;
		if (this.known.contains(header)) {
			return true;
		}
		boolean writes = STACK.walk((frames) -> frames.limit(MAX_FRAMES)
			.anyMatch((frame) -> isWriter(frame.getClassName(), frame.getMethodName())));
		if (writes && this.known.size() < MAX_KNOWN) {
			this.known.add(header);
		}
		return writes;
	}

	private static boolean isWriter(String type, String method) {
		return type.equals(FILTER) && method.equals("writeHeaders");
	}

	private static boolean isWritten(@Nullable ServletResponse response) {
		@Nullable ServletResponse current = response;
		while (current instanceof ServletResponseWrapper wrapper) {
			if (wrapper.getClass().getName().startsWith(FILTER)) {
				return true;
			}
			current = wrapper.getResponse();
		}
		return false;
	}

}
