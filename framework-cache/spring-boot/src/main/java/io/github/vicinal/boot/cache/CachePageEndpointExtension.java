package io.github.vicinal.boot.cache;

import io.github.vicinal.boot.cache.CacheReportsEndpoint.CacheDescriptor;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Shows a cache as a page for people, at {@code vicinalcaches/<name>/page}.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = CacheReportsEndpoint.class)
class CachePageEndpointExtension {

	private final CacheReportsEndpoint endpoint;

	/**
	 * Creates the extension.
	 * @param endpoint describes caches
	 */
	public CachePageEndpointExtension(CacheReportsEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Draws one cache.
	 * @param name its name
	 * @param view what to show; there is only {@code page}
	 * @return a self-contained page, or {@code null} if there is no such cache or view
	 */
	@ReadOperation(produces = "text/html;charset=UTF-8")
	public @Nullable String page(@Selector String name, @Selector String view) {
		CacheDescriptor cache = view.equals("page") ? this.endpoint.cache(name) : null;
		return (cache != null) ? CachePage.draw(name, cache) : null;
	}

}
