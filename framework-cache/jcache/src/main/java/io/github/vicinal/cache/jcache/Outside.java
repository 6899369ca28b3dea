package io.github.vicinal.cache.jcache;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;

import javax.cache.Cache;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;

import org.jspecify.annotations.Nullable;

/** The resource behind a cache: read and written through, where the user wants that. */
final class Outside<K, V> {

	private final @Nullable CacheLoader<K, V> loader;

	private final @Nullable CacheWriter<? super K, ? super V> writer;

	private final boolean readThrough;

	Outside(@Nullable CacheLoader<K, V> loader, @Nullable CacheWriter<? super K, ? super V> writer, boolean readThrough,
			boolean writeThrough) {
		this.loader = loader;
		this.writer = writeThrough ? writer : null;
		this.readThrough = readThrough && loader != null;
	}

	boolean canLoad() {
		return this.loader != null;
	}

	boolean readsThrough() {
		return this.readThrough;
	}

	boolean writesThrough() {
		return this.writer != null;
	}

	@Nullable V load(K key) {
		try {
			return loader().load(key);
		}
		catch (CacheLoaderException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new CacheLoaderException("The CacheLoader failed", ex);
		}
	}

	Map<K, V> loadAll(Collection<? extends K> keys) {
		try {
			return loader().loadAll(keys);
		}
		catch (CacheLoaderException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new CacheLoaderException("The CacheLoader failed", ex);
		}
	}

	private CacheLoader<K, V> loader() {
		return Objects.requireNonNull(this.loader, "loader");
	}

	void write(K key, V value) {
		if (this.writer == null) {
			return;
		}
		try {
			this.writer.write(new Pair<>(key, value));
		}
		catch (CacheWriterException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new CacheWriterException("The CacheWriter failed", ex);
		}
	}

	void delete(K key) {
		if (this.writer == null) {
			return;
		}
		try {
			this.writer.delete(key);
		}
		catch (CacheWriterException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new CacheWriterException("The CacheWriter failed", ex);
		}
	}

	/**
	 * Writes entries.
	 * @param entries those that were written are removed from it
	 * @return why not all were written, or {@code null}
	 */
	@SuppressWarnings({ "unchecked", "rawtypes" })
	@Nullable CacheWriterException writeAll(Collection<Cache.Entry<? extends K, ? extends V>> entries) {
		if (this.writer == null) {
			return null;
		}
		try {
			((CacheWriter) this.writer).writeAll(entries);
			return null;
		}
		catch (CacheWriterException ex) {
			return ex;
		}
		catch (RuntimeException ex) {
			return new CacheWriterException("The CacheWriter failed", ex);
		}
	}

	/**
	 * Deletes entries.
	 * @param keys those that were deleted are removed from it
	 * @return why not all were deleted, or {@code null}
	 */
	@Nullable CacheWriterException deleteAll(Collection<K> keys) {
		if (this.writer == null) {
			return null;
		}
		try {
			this.writer.deleteAll(keys);
			return null;
		}
		catch (CacheWriterException ex) {
			return ex;
		}
		catch (RuntimeException ex) {
			return new CacheWriterException("The CacheWriter failed", ex);
		}
	}

	/** The loader, and the writer, which may have to be closed. */
	@Nullable Object[] resources() {
		return new @Nullable Object[] { this.loader, this.writer };
	}

}
