package io.github.vicinal.cache.jcache;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.cache.CacheException;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of a cache manager for settings that a cache's configuration leaves out. Later
 * sources win: built-in values, the file that the URI names, the properties that were
 * passed. Within each, settings of one cache win over those of all.
 */
final class Defaults {

	/** The file of the default URI, on the class path; may be missing. */
	static final String FILE = "vicinal-jcache.properties";

	private static final String PREFIX = "vicinal.cache.";

	private static final Pattern KEY = Pattern
		.compile("vicinal\\.cache\\.(caches\\.(?<cache>.+)\\.)?(policy|maximum-size)");

	private static final long MAXIMUM_SIZE = 10_000;

	private final Properties properties = new Properties();

	Defaults(URI uri, boolean defaultUri, ClassLoader loader, Properties passed) {
		String path = defaultUri ? FILE : null;
		if (!defaultUri && "classpath".equals(uri.getScheme())) {
			path = uri.getSchemeSpecificPart().replaceFirst("^/+", "");
		}
		try (InputStream in = (path != null) ? loader.getResourceAsStream(path) : open(uri)) {
			if (in != null) {
				this.properties.load(in);
			}
			else if (path != null && !defaultUri) {
				throw new CacheException(
						"The URI %s of the cache manager names no file on the class path".formatted(uri));
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			throw new CacheException(
					"The URI %s of the cache manager cannot be read as a properties file".formatted(uri), ex);
		}
		this.properties.putAll(passed);
		check();
	}

	private static @Nullable InputStream open(URI uri) throws IOException {
		String scheme = uri.getScheme();
		return ("file".equals(scheme) || "jar".equals(scheme)) ? uri.toURL().openStream() : null;
	}

	private void check() {
		for (String name : this.properties.stringPropertyNames()) {
			Matcher key = KEY.matcher(name);
			if (key.matches()) {
				String cache = (key.group("cache") != null) ? key.group("cache") : "";
				policy(cache);
				maximumSize(cache);
			}
			else if (name.startsWith(PREFIX)) {
				throw new InvalidCacheException("", name, this.properties.getProperty(name),
						"absent: the properties are vicinal.cache.policy, vicinal.cache.maximum-size, and the same behind vicinal.cache.caches.<name>");
			}
		}
	}

	private @Nullable String key(String cache, String property) {
		String own = PREFIX + "caches." + cache + "." + property;
		if (this.properties.getProperty(own) != null) {
			return own;
		}
		String common = PREFIX + property;
		return (this.properties.getProperty(common) != null) ? common : null;
	}

	CachePolicy policy(String cache) {
		String key = key(cache, "policy");
		if (key == null) {
			return CachePolicy.TINY_LFU;
		}
		try {
			return CachePolicy.of(this.properties.getProperty(key));
		}
		catch (InvalidCacheException ex) {
			throw new InvalidCacheException(cache, key, ex.value(), ex.allowed());
		}
	}

	long maximumSize(String cache) {
		String key = key(cache, "maximum-size");
		if (key == null) {
			return MAXIMUM_SIZE;
		}
		String text = this.properties.getProperty(key);
		try {
			long size = Long.parseLong(text.trim());
			if (size >= 0 && size <= CacheBuilder.MAX_SIZE) {
				return size;
			}
		}
		catch (NumberFormatException ex) {
			// As a number out of bounds.
		}
		throw new InvalidCacheException(cache, key, text, "a number from 0 to " + CacheBuilder.MAX_SIZE);
	}

}
