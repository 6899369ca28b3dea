package io.github.vicinal.boot.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.github.vicinal.boot.cache.CacheProperties.Single;
import io.github.vicinal.cache.Cache;
import io.github.vicinal.cache.CacheBuilder;
import io.github.vicinal.cache.CachePolicy;
import io.github.vicinal.cache.InvalidCacheException;
import io.github.vicinal.cache.Weigher;
import org.jspecify.annotations.Nullable;

/**
 * Converts properties into builders of caches. Errors name the property that the user
 * wrote. No {@code Function}: Spring Cloud Stream takes beans of that type for functions
 * of the application.
 */
final class CacheBuilders {

	private static final long MAXIMUM_SIZE = 10_000;

	/** Default bound of the answers in a cache of calls. */
	private static final long MAXIMUM_BYTES = 16L << 20;

	private static final Single NOTHING = new Single(null, null, null, null, null, null, null, null);

	private static final String WEIGHT = "maximum-weight";

	/** A map of properties takes what is before the first dot for the name. */
	private static final Pattern DOTTED = Pattern.compile("[\\w$-]+(\\.[\\w$-]+)+");

	private final CacheProperties properties;

	private final Function<String, @Nullable Single> dotted;

	private final Weighers weighers;

	private final Supplier<List<CacheCustomizer>> customizers;

	private final Supplier<@Nullable Executor> executor;

	/** Finds what weighs the entries of a cache. */
	@FunctionalInterface
	public interface Weighers {

		/**
		 * Returns what weighs the entries of a cache.
		 * @param cache the name of the cache
		 * @return a weigher, or {@code null} if there is none or not exactly one
		 */
		@Nullable Weigher<Object, Object> find(String cache);

	}

	/**
	 * Creates the builders.
	 * @param properties what is configured
	 * @param dotted finds what is configured of a cache whose name has dots, {@code null}
	 * if nothing is
	 * @param weighers finds what weighs entries
	 * @param customizers what the application adds
	 * @param executor where refreshing loads run, {@code null} for the default
	 */
	public CacheBuilders(CacheProperties properties, Function<String, @Nullable Single> dotted, Weighers weighers,
			Supplier<List<CacheCustomizer>> customizers, Supplier<@Nullable Executor> executor) {
		this.properties = properties;
		this.dotted = dotted;
		this.weighers = weighers;
		this.customizers = customizers;
		this.executor = executor;
	}

	/** Returns the builder of a cache. */
	CacheBuilder<Object, Object> apply(String name) {
		return new Setup(name, own(name), null, null).builder(true);
	}

	/**
	 * Makes a cache of calls, which is bounded by bytes unless properties say otherwise.
	 * @param name its name
	 * @param expireAfterWrite how long entries live if no property says it
	 * @param bytes weighs entries
	 * @return an empty cache
	 */
	public Cache<Object, Object> callCache(String name, Duration expireAfterWrite, Weigher<Object, Object> bytes) {
		return new Setup(name, own(name), expireAfterWrite, bytes).builder(true).build();
	}

	/**
	 * Returns how long entries of a cache live.
	 * @param name its name
	 * @param otherwise how long they live if no property says it
	 * @return a positive time
	 */
	public Duration expireAfterWrite(String name, Duration otherwise) {
		Duration own = own(name).expireAfterWrite();
		Duration common = this.properties.expireAfterWrite();
		return (own != null) ? own : (common != null) ? common : otherwise;
	}

	/**
	 * Returns whether properties say that all callers may see the same answers.
	 * @param name the name of a cache of calls
	 * @return {@code false} if they do not
	 */
	public boolean isSharedByAllCallers(String name) {
		return Boolean.TRUE.equals(own(name).sharedByAllCallers());
	}

	/**
	 * Makes a cache as all those whose name no property mentions, to find out at start
	 * whether that is possible.
	 */
	public void verifyDefaults() {
		new Setup("default", NOTHING, null, null).builder(false).build();
	}

	private Single own(String name) {
		Single own = this.properties.caches().get(name);
		if (own == null && DOTTED.matcher(name).matches()) {
			own = this.dotted.apply(name);
		}
		return (own != null) ? own : NOTHING;
	}

	/** One cache that is being set up. */
	private final class Setup {

		private final String name;

		private final Single own;

		private final Single common = CacheBuilders.this.properties.common();

		private final @Nullable Duration expireAfterWrite;

		/** Weighs entries of a cache of calls. */
		private final @Nullable Weigher<Object, Object> bytes;

		private final CacheBuilder<Object, Object> builder;

		/** Prefix of the weight's property, if there is one. */
		private @Nullable String weightFrom;

		Setup(String name, Single own, @Nullable Duration expireAfterWrite, @Nullable Weigher<Object, Object> bytes) {
			this.name = name;
			this.own = own;
			this.expireAfterWrite = expireAfterWrite;
			this.bytes = bytes;
			this.builder = CacheBuilder.named(name);
		}

		CacheBuilder<Object, Object> builder(boolean customized) {
			set(Single::policy, (policy) -> this.builder.policy(CachePolicy.of(policy)));
			boolean expires = set(Single::expireAfterWrite, this.builder::expireAfterWrite);
			if (!expires && this.expireAfterWrite != null) {
				this.builder.expireAfterWrite(this.expireAfterWrite);
			}
			set(Single::expireAfterAccess, this.builder::expireAfterAccess);
			set(Single::refreshAfterWrite, this.builder::refreshAfterWrite);
			boolean counts = (this.own.statistics() != null) ? this.own.statistics()
					: this.common.statistics() == null || this.common.statistics();
			if (counts) {
				this.builder.recordStatistics();
			}
			bound();
			Executor background = CacheBuilders.this.executor.get();
			if (background != null) {
				this.builder.executor(background);
			}
			if (customized) {
				CacheBuilders.this.customizers.get()
					.forEach((customizer) -> customizer.customize(this.name, this.builder));
			}
			if (this.bytes != null && !this.builder.isBounded()) {
				boundBytes(this.bytes);
			}
			if (this.weightFrom != null) {
				verifyWeight(this.weightFrom);
			}
			return this.builder;
		}

		private void boundBytes(Weigher<Object, Object> weigher) {
			if (this.builder.canWeigh()) {
				this.builder.maximumWeight(MAXIMUM_BYTES, weigher);
			}
			else {
				this.builder.maximumSize(MAXIMUM_SIZE);
			}
		}

		private <T> boolean set(Function<Single, @Nullable T> property, Consumer<T> setter) {
			T value = property.apply(this.own);
			boolean isOwn = value != null;
			value = isOwn ? value : property.apply(this.common);
			if (value == null) {
				return false;
			}
			try {
				setter.accept(value);
				return true;
			}
			catch (InvalidCacheException ex) {
				throw below(prefix(isOwn), ex);
			}
		}

		private InvalidCacheException below(String prefix, InvalidCacheException ex) {
			return new InvalidCacheException(this.name, prefix + ex.property(), ex.value(), ex.allowed());
		}

		/** A policy that cannot weigh is reported when a cache is created. */
		private void verifyWeight(String prefix) {
			try {
				this.builder.build();
			}
			catch (InvalidCacheException ex) {
				throw ex.property().equals(WEIGHT) ? below(prefix, ex) : ex;
			}
		}

		private String prefix(boolean isOwn) {
			return isOwn ? CacheProperties.PREFIX + ".caches." + this.name + "." : CacheProperties.PREFIX + ".";
		}

		/** The bound of the cache itself, else that of all caches, else the default. */
		private void bound() {
			boolean isOwn = this.own.maximumSize() != null || this.own.maximumWeight() != null;
			Single from = isOwn ? this.own : this.common;
			Long weight = from.maximumWeight();
			if (weight != null && from.maximumSize() != null) {
				throw new InvalidCacheException(this.name, prefix(isOwn) + WEIGHT, weight,
						"absent if %smaximum-size is set (%d): the bound is one or the other".formatted(prefix(isOwn),
								from.maximumSize()));
			}
			if (weight == null && from.maximumSize() == null && this.bytes != null) {
				// Comes last: a customizer may choose another bound, or what weighs not.
				return;
			}
			if (weight == null) {
				long size = (from.maximumSize() != null) ? from.maximumSize() : MAXIMUM_SIZE;
				set((single) -> (single == from) ? (Long) size : null, this.builder::maximumSize);
				return;
			}
			Weigher<Object, Object> weigher = (this.bytes != null) ? this.bytes
					: CacheBuilders.this.weighers.find(this.name);
			if (weigher == null) {
				throw new InvalidCacheException(this.name, prefix(isOwn) + WEIGHT, weight,
						"accompanied by a bean of type %s: the only one, or the one whose name is '%s'"
							.formatted(Weigher.class.getName(), this.name));
			}
			set((single) -> (single == from) ? weight : null, (most) -> this.builder.maximumWeight(most, weigher));
			this.weightFrom = prefix(isOwn);
		}

	}

}
