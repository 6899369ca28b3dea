package io.github.vicinal.boot.contract;

import java.io.InputStream;
import java.io.Reader;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.util.MultiValueMap;

/** Types whose content streams, or is laid out by HTTP itself. */
final class StreamingTypes {

	private StreamingTypes() {
	}

	static @Nullable String reason(Class<?> type) {
		if (InputStream.class.isAssignableFrom(type) || Reader.class.isAssignableFrom(type)
				|| Resource.class.isAssignableFrom(type)
				|| type.getName().startsWith("org.springframework.web.servlet.mvc.method.annotation.")
				|| type.getName().startsWith("org.springframework.core.io.buffer.")) {
			return "streams";
		}
		if (type.getName().startsWith("reactor.core.publisher.") || type.getName().startsWith("org.reactivestreams.")) {
			return "streams";
		}
		if (MultiValueMap.class.isAssignableFrom(type)
				|| type.getName().equals("org.springframework.web.multipart.MultipartFile")) {
			return "is a form or multipart";
		}
		return null;
	}

}
