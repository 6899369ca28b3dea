package io.github.vicinal.cache.jcache;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.management.CacheStatisticsMXBean;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorResult;
import javax.cache.processor.MutableEntry;
import javax.cache.spi.CachingProvider;
import javax.management.JMX;
import javax.management.ObjectName;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Gen;
import io.github.vicinal.testing.property.Property;
import org.jsr107.ri.spi.RICachingProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random operations give the same results, events, writes and statistics as in the
 * reference implementation. Left out is when an expiry is noticed, which is free.
 */
class ReferenceTests {

	private static final int KEYS = 5;

	private static final List<String> POLICIES = List.of("TINY_LFU", "LRU", "LFU", "S3_FIFO", "LIRS", "AIC",
			"K_WAY(8)");

	record Step(int kind, String key, String value, String other) {
	}

	/** Configuration of the caches of a run. */
	record Setup(boolean byValue, boolean readThrough, boolean writeThrough, boolean oldValues, int expiry,
			String policy) {
	}

	List<Step> steps(Gen gen) {
		return gen.list(1, 60,
				() -> new Step(gen.integer(0, 19), "k" + gen.integer(0, KEYS - 1), value(gen), value(gen)));
	}

	private static String value(Gen gen) {
		return gen.one("a", "b", "c", "refused");
	}

	Setup setups(Gen gen) {
		return new Setup(gen.bool(), gen.bool(), gen.bool(), gen.bool(), gen.integer(0, 3),
				gen.one(POLICIES.toArray(String[]::new)));
	}

	@Property(tries = 400)
	void sameAsReference(@ForAll("setups") Setup setup, @ForAll("steps") List<Step> steps) throws Exception {
		try (Subject ours = new Subject(new VicinalCachingProvider(), setup, true);
				Subject reference = new Subject(new RICachingProvider(), setup, false)) {
			for (int i = 0; i < steps.size(); i++) {
				Step step = steps.get(i);
				Object expected = reference.run(step);
				String where = "step %d, %s with %s".formatted(i, step, setup);
				assertThat(ours.run(step)).as(where).isEqualTo(expected);
				assertThat(ours.present()).as("keys after " + where).isEqualTo(reference.present());
				assertThat(ours.events).as("events after " + where)
					.containsExactlyInAnyOrderElementsOf(reference.events);
				assertThat(ours.writes).as("writes after " + where)
					.containsExactlyInAnyOrderElementsOf(reference.writes);
			}
			assertThat(ours.statistics()).as("statistics of %s with %s", steps, setup)
				.isEqualTo(reference.statistics());
		}
	}

	private static final class Subject implements AutoCloseable {

		private final CachingProvider provider;

		private final Cache<String, String> cache;

		private final ObjectName statistics;

		private final boolean lingers;

		final List<String> events = new ArrayList<>();

		final List<String> writes = new ArrayList<>();

		Subject(CachingProvider provider, Setup setup, boolean ours) throws Exception {
			this.provider = provider;
			this.lingers = setup.expiry >= 2;
			CacheManager manager = provider.getCacheManager();
			MutableConfiguration<String, String> configuration = ours
					? new VicinalConfiguration<String, String>().setPolicy(setup.policy).setMaximumSize(1000)
					: new MutableConfiguration<>();
			configuration.setStoreByValue(setup.byValue)
				.setStatisticsEnabled(true)
				.setReadThrough(setup.readThrough)
				.setWriteThrough(setup.writeThrough)
				.setExpiryPolicyFactory(() -> new AtOnce(setup.expiry))
				.setCacheLoaderFactory(Loader::new)
				.addCacheEntryListenerConfiguration(new MutableCacheEntryListenerConfiguration<>(
						() -> new Recorder(this.events), null, setup.oldValues, true));
			if (setup.writeThrough) {
				configuration.setCacheWriterFactory(() -> new Writer(this.writes));
			}
			this.cache = manager.createCache("differential", configuration);
			this.statistics = new ObjectName("javax.cache:type=CacheStatistics,CacheManager="
					+ manager.getURI().toString().replaceAll("[,:=\\n]", ".") + ",Cache=differential");
		}

		Object run(Step step) {
			try {
				Object result = apply(step);
				return (result != null) ? result : "null";
			}
			catch (RuntimeException ex) {
				return ex.getClass().getSimpleName();
			}
		}

		private Object apply(Step step) {
			if (this.lingers && Set.of(12, 13, 19).contains(step.kind)) {
				// The reference removes, counts and deletes what has expired, too.
				return contains(step);
			}
			Cache<String, String> on = this.cache;
			String key = step.key;
			return switch (step.kind) {
				case 0 -> on.get(key);
				case 1 -> on.containsKey(key);
				case 2 -> run(() -> on.put(key, step.value));
				case 3 -> on.getAndPut(key, step.value);
				case 4 -> run(() -> on.putAll(several(key, step)));
				case 5 -> on.putIfAbsent(key, step.value);
				case 6 -> on.remove(key);
				case 7 -> on.remove(key, step.value);
				case 8 -> on.getAndRemove(key);
				case 9 -> on.replace(key, step.value, step.other);
				case 10 -> on.replace(key, step.value);
				case 11 -> on.getAndReplace(key, step.value);
				case 12 -> run(() -> on.removeAll(keys(key, "k9")));
				case 13 -> step.value.equals("a") ? run(on::removeAll) : on.get(key);
				case 14 -> step.value.equals("a") ? run(on::clear) : on.getAndPut(key, step.value);
				case 15 -> new TreeMap<>(on.getAll(keys(key, "k1", "k2")));
				case 16 -> on.invoke(key, new Scripted(), step.value, step.other);
				case 17 -> results(on.invokeAll(keys(key, "k3"), new Scripted(), step.value, step.other));
				case 18 -> contents();
				default -> removeByIterator(key);
			};
		}

		private Object contains(Step step) {
			return this.cache.containsKey(step.key);
		}

		/** Without null in it, and able to say so. */
		private static Set<String> keys(String... keys) {
			return new HashSet<>(List.of(keys));
		}

		/** A writer may treat some of many entries that it refuses in any way. */
		private static Map<String, String> several(String key, Step step) {
			Map<String, String> map = new HashMap<>(Map.of("k0", step.other, "k1", step.other));
			map.put(key, step.value);
			map.values().removeIf("refused"::equals);
			return map;
		}

		private static String run(Runnable operation) {
			operation.run();
			return "done";
		}

		private static Map<String, String> results(Map<String, EntryProcessorResult<String>> results) {
			Map<String, String> texts = new TreeMap<>();
			results.forEach((key, result) -> {
				String text;
				try {
					text = result.get();
				}
				catch (RuntimeException ex) {
					text = ex.getClass().getSimpleName();
				}
				texts.put(key, text);
			});
			return texts;
		}

		private Map<String, String> contents() {
			Map<String, String> all = new TreeMap<>();
			this.cache.forEach((entry) -> all.put(entry.getKey(), entry.getValue()));
			return all;
		}

		private String removeByIterator(String key) {
			for (Iterator<Cache.Entry<String, String>> entries = this.cache.iterator(); entries.hasNext();) {
				if (entries.next().getKey().equals(key)) {
					entries.remove();
				}
			}
			return "done";
		}

		Set<String> present() {
			Set<String> keys = new TreeSet<>();
			for (int i = 0; i < KEYS; i++) {
				if (this.cache.containsKey("k" + i)) {
					keys.add("k" + i);
				}
			}
			return keys;
		}

		Map<String, Long> statistics() {
			CacheStatisticsMXBean bean = JMX.newMXBeanProxy(ManagementFactory.getPlatformMBeanServer(), this.statistics,
					CacheStatisticsMXBean.class);
			return Map.of("hits", bean.getCacheHits(), "misses", bean.getCacheMisses(), "gets", bean.getCacheGets(),
					"puts", bean.getCachePuts(), "removals", bean.getCacheRemovals());
		}

		@Override
		public void close() {
			this.provider.close();
		}

	}

	/** Does what its arguments say, by the value's name. */
	private static final class Scripted implements EntryProcessor<String, String, String> {

		@Override
		public String process(MutableEntry<String, String> entry, Object... arguments) {
			String what = arguments[0] + "" + arguments[1];
			switch (what) {
				case "aa" -> entry.setValue("a");
				case "ab" -> {
					return entry.getValue();
				}
				case "ac" -> {
					if (entry.exists()) {
						entry.remove();
					}
				}
				case "ba" -> {
					entry.setValue("b");
					entry.setValue("c");
				}
				case "bb" -> {
					entry.setValue("b");
					return entry.getValue();
				}
				case "bc" -> throw new IllegalStateException("as wanted");
				case "ca" -> entry.setValue("refused");
				case "cb" -> {
					String before = entry.getValue();
					entry.setValue("c");
					return before;
				}
				default -> {
					return String.valueOf(entry.exists());
				}
			}
			return null;
		}

	}

	/** Something expires the moment it is created, updated or read. */
	private record AtOnce(int what) implements ExpiryPolicy {

		@Override
		public Duration getExpiryForCreation() {
			return (this.what == 1) ? Duration.ZERO : Duration.ETERNAL;
		}

		@Override
		public Duration getExpiryForAccess() {
			return (this.what == 2) ? Duration.ZERO : null;
		}

		@Override
		public Duration getExpiryForUpdate() {
			return (this.what == 3) ? Duration.ZERO : null;
		}

	}

	private static final class Loader implements CacheLoader<String, String> {

		@Override
		public String load(String key) {
			return key.equals("k4") ? null : "loaded";
		}

		@Override
		public Map<String, String> loadAll(Iterable<? extends String> keys) {
			Map<String, String> loaded = new HashMap<>();
			keys.forEach((key) -> loaded.put(key, load(key)));
			return loaded;
		}

	}

	private record Writer(List<String> writes) implements CacheWriter<String, String> {

		@Override
		public void write(Cache.Entry<? extends String, ? extends String> entry) {
			if (entry.getValue().equals("refused")) {
				throw new IllegalArgumentException("as wanted");
			}
			this.writes.add(entry.getKey() + "=" + entry.getValue());
		}

		@Override
		public void writeAll(Collection<Cache.Entry<? extends String, ? extends String>> entries) {
			entries.forEach(this::write);
			entries.clear();
		}

		@Override
		public void delete(Object key) {
			this.writes.add("-" + key);
		}

		@Override
		public void deleteAll(Collection<?> keys) {
			keys.forEach(this::delete);
			keys.clear();
		}

	}

	private record Recorder(List<String> events)
			implements
				CacheEntryCreatedListener<String, String>,
				CacheEntryUpdatedListener<String, String>,
				CacheEntryRemovedListener<String, String>,
				CacheEntryExpiredListener<String, String> {

		@Override
		public void onCreated(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
			events.forEach((event) -> record(event, (same) -> "-"));
		}

		@Override
		public void onUpdated(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
			events.forEach((event) -> record(event, CacheEntryEvent::getOldValue));
		}

		@Override
		public void onRemoved(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
			events.forEach((event) -> record(event, CacheEntryEvent::getOldValue));
		}

		@Override
		public void onExpired(Iterable<CacheEntryEvent<? extends String, ? extends String>> events) {
			// When an expiry is noticed is not prescribed.
			events.forEach((event) -> assertThat(event.getEventType()).isEqualTo(EventType.EXPIRED));
		}

		private void record(CacheEntryEvent<? extends String, ? extends String> event,
				Function<CacheEntryEvent<? extends String, ? extends String>, String> old) {
			this.events.add("%s %s: %s after %s, old %s".formatted(event.getEventType(), event.getKey(),
					event.getValue(), old.apply(event), event.isOldValueAvailable()));
		}

	}

}
