package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.Writer;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * System properties that differ by application. Each gets a copy of what the JVM was
 * started with; what it sets, only its own threads see. Spring Boot, for one, sets
 * properties that name the application in its log. Thread-safe.
 */
@SuppressWarnings({ "serial", "UnsynchronizedOverridesSynchronized" }) // each copy has a
																		// lock
final class SystemProperties extends Properties {

	/** The JVM's own, for threads that belong to no application. */
	private final transient Properties base;

	private final transient Map<ApplicationLoader, Properties> own = new ConcurrentHashMap<>();

	SystemProperties(Properties base) {
		this.base = base;
	}

	/**
	 * Gives an application properties of its own.
	 * @param additional what it has besides those of the JVM
	 */
	void begin(ApplicationLoader loader, Map<String, String> additional) {
		Properties copy = new Properties();
		this.base.stringPropertyNames().forEach((name) -> copy.setProperty(name, this.base.getProperty(name)));
		copy.putAll(additional);
		this.own.put(loader, copy);
	}

	void end(ApplicationLoader loader) {
		this.own.remove(loader);
	}

	private Properties mine() {
		ApplicationLoader loader = ApplicationThreads.owner(Thread.currentThread());
		Properties known = (loader != null) ? this.own.get(loader) : null;
		return (known != null) ? known : this.base;
	}

	@Override
	public Object setProperty(String key, String value) {
		return mine().setProperty(key, value);
	}

	@Override
	public @Nullable String getProperty(String key) {
		return mine().getProperty(key);
	}

	@Override
	public String getProperty(String key, String defaultValue) {
		return mine().getProperty(key, defaultValue);
	}

	@Override
	public void load(Reader reader) throws IOException {
		mine().load(reader);
	}

	@Override
	public void load(InputStream in) throws IOException {
		mine().load(in);
	}

	@Override
	public void store(Writer writer, String comments) throws IOException {
		mine().store(writer, comments);
	}

	@Override
	public void store(OutputStream out, @Nullable String comments) throws IOException {
		mine().store(out, comments);
	}

	@Override
	public void list(PrintStream out) {
		mine().list(out);
	}

	@Override
	public void list(PrintWriter out) {
		mine().list(out);
	}

	@Override
	public Enumeration<?> propertyNames() {
		return mine().propertyNames();
	}

	@Override
	public Set<String> stringPropertyNames() {
		return mine().stringPropertyNames();
	}

	@Override
	public int size() {
		return mine().size();
	}

	@Override
	public boolean isEmpty() {
		return mine().isEmpty();
	}

	@Override
	public Enumeration<Object> keys() {
		return mine().keys();
	}

	@Override
	public Enumeration<Object> elements() {
		return mine().elements();
	}

	@Override
	public boolean contains(Object value) {
		return mine().containsValue(value);
	}

	@Override
	public boolean containsValue(Object value) {
		return mine().containsValue(value);
	}

	@Override
	public boolean containsKey(Object key) {
		return mine().containsKey(key);
	}

	@Override
	public @Nullable Object get(Object key) {
		return mine().get(key);
	}

	@Override
	public @Nullable Object put(Object key, Object value) {
		return mine().put(key, value);
	}

	@Override
	public @Nullable Object remove(Object key) {
		return mine().remove(key);
	}

	@Override
	public void putAll(Map<?, ?> map) {
		mine().putAll(map);
	}

	@Override
	public void clear() {
		mine().clear();
	}

	@Override
	public String toString() {
		return mine().toString();
	}

	@Override
	public Set<Object> keySet() {
		return mine().keySet();
	}

	@Override
	public Collection<Object> values() {
		return mine().values();
	}

	@Override
	public Set<Map.Entry<Object, Object>> entrySet() {
		return mine().entrySet();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return mine().equals(other);
	}

	@Override
	public int hashCode() {
		return mine().hashCode();
	}

	@Override
	public Object getOrDefault(Object key, Object defaultValue) {
		return mine().getOrDefault(key, defaultValue);
	}

	@Override
	public void forEach(BiConsumer<? super Object, ? super Object> action) {
		mine().forEach(action);
	}

	@Override
	public void replaceAll(BiFunction<? super Object, ? super Object, ?> function) {
		mine().replaceAll(function);
	}

	@Override
	public @Nullable Object putIfAbsent(Object key, Object value) {
		return mine().putIfAbsent(key, value);
	}

	@Override
	public boolean remove(Object key, Object value) {
		return mine().remove(key, value);
	}

	@Override
	public boolean replace(Object key, Object oldValue, Object newValue) {
		return mine().replace(key, oldValue, newValue);
	}

	@Override
	public @Nullable Object replace(Object key, Object value) {
		return mine().replace(key, value);
	}

	@Override
	public @Nullable Object computeIfAbsent(Object key, Function<? super Object, ? extends @Nullable Object> mapping) {
		return mine().computeIfAbsent(key, mapping);
	}

	@Override
	public @Nullable Object computeIfPresent(Object key,
			BiFunction<? super Object, ? super Object, ? extends @Nullable Object> remapping) {
		return mine().computeIfPresent(key, remapping);
	}

	@Override
	public @Nullable Object compute(Object key,
			BiFunction<? super Object, ? super @Nullable Object, ? extends @Nullable Object> remapping) {
		return mine().compute(key, remapping);
	}

	@Override
	public @Nullable Object merge(Object key, Object value,
			BiFunction<? super Object, ? super Object, ? extends @Nullable Object> remapping) {
		return mine().merge(key, value, remapping);
	}

	/** A copy of what the calling thread sees, which is what callers of it want. */
	@Override
	public Object clone() {
		return mine().clone();
	}

}
