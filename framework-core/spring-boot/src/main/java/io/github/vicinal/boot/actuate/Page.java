package io.github.vicinal.boot.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/** A page of an endpoint. It loads nothing: style and script of all pages are put in. */
final class Page {

	private static final MimeType HTML = new MimeType(MimeTypeUtils.TEXT_HTML, StandardCharsets.UTF_8);

	private Page() {
	}

	static WebEndpointResponse<Object> response(String name) {
		String html = read(name).replace("/*page.css*/", read("page.css")).replace("/*page.js*/", read("page.js"));
		return new WebEndpointResponse<>(html, WebEndpointResponse.STATUS_OK, HTML);
	}

	private static String read(String name) {
		try (InputStream in = Page.class.getResourceAsStream(name)) {
			if (in == null) {
				throw new IllegalStateException(name + " is missing from the jar");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
