package io.github.vicinal.cache.jcache;

import java.util.Objects;

import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.MutableConfiguration;

import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;
import org.jspecify.annotations.Nullable;

/**
 * A configuration with settings that JCache lacks. Settings that it leaves out come from
 * the cache manager's properties:
 *
 * <pre class="code">
 * manager.createCache("prices", new VicinalConfiguration&lt;Long, Price&gt;()
 *     .setPolicy("LRU")
 *     .setMaximumSize(10_000)
 *     .setTypes(Long.class, Price.class));
 * </pre>
 *
 * The setters of JCache return a {@link MutableConfiguration}; call those of this class
 * first. Policy, size and copier take no part in {@code equals}.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 * @since 0.1.0
 */
public class VicinalConfiguration<K, V> extends MutableConfiguration<K, V> {

	private static final long serialVersionUID = 1;

	private transient @Nullable CachePolicy policy;

	private transient @Nullable Copier copier;

	private long maximumSize = -1;

	/**
	 * Creates a configuration that leaves all open.
	 */
	public VicinalConfiguration() {
	}

	/**
	 * Creates a copy.
	 * @param other a configuration
	 */
	public VicinalConfiguration(CompleteConfiguration<K, V> other) {
		super(other);
		if (other instanceof VicinalConfiguration<K, V> that) {
			this.policy = that.policy;
			this.copier = that.copier;
			this.maximumSize = that.maximumSize;
		}
	}

	/**
	 * Sets the replacement policy.
	 * @param newPolicy a policy
	 * @return this configuration
	 */
	public VicinalConfiguration<K, V> setPolicy(CachePolicy newPolicy) {
		this.policy = Objects.requireNonNull(newPolicy, "policy");
		return this;
	}

	/**
	 * Sets the replacement policy.
	 * @param name its name, for example {@code LRU} or {@code K_WAY(8)}
	 * @return this configuration
	 * @throws InvalidCacheException if there is no such policy; names those that there
	 * are
	 */
	public VicinalConfiguration<K, V> setPolicy(String name) {
		return setPolicy(CachePolicy.of(name));
	}

	/**
	 * Returns the replacement policy.
	 * @return the policy, or {@code null} for the cache manager's
	 */
	public @Nullable CachePolicy getPolicy() {
		return this.policy;
	}

	/**
	 * Bounds the number of entries.
	 * @param entries from 0 to {@link CacheBuilder#MAX_SIZE}
	 * @return this configuration
	 * @throws InvalidCacheException if it is out of bounds
	 */
	public VicinalConfiguration<K, V> setMaximumSize(long entries) {
		if (entries < 0 || entries > CacheBuilder.MAX_SIZE) {
			throw new InvalidCacheException("", "maximum-size", entries, "from 0 to " + CacheBuilder.MAX_SIZE);
		}
		this.maximumSize = entries;
		return this;
	}

	/**
	 * Returns the bound.
	 * @return a number of entries, or -1 for the cache manager's
	 */
	public long getMaximumSize() {
		return this.maximumSize;
	}

	/**
	 * Sets what makes the copies of store-by-value.
	 * @param newCopier a copier
	 * @return this configuration
	 */
	public VicinalConfiguration<K, V> setCopier(Copier newCopier) {
		this.copier = Objects.requireNonNull(newCopier, "copier");
		return this;
	}

	/**
	 * Returns what makes the copies of store-by-value.
	 * @return the copier, or {@code null} for one that knows immutable values, and
	 * serialises all others
	 */
	public @Nullable Copier getCopier() {
		return this.copier;
	}

}
