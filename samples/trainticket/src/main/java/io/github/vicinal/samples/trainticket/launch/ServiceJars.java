package io.github.vicinal.samples.trainticket.launch;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Takes the executable jar of all services apart: each service gets an executable jar of
 * its own, with the classes that it refers to and no others, as if it had been built in a
 * project of its own.
 */
final class ServiceJars {

	private static final String CLASSES = "BOOT-INF/classes/";

	private static final String MANIFEST = "META-INF/MANIFEST.MF";

	/** Folder of the classes of the sample. */
	private static final String ROOT = "io/github/vicinal/samples/trainticket/";

	/** A class file names all classes that it refers to, in ASCII. */
	private static final Pattern NAME = Pattern.compile(Pattern.quote(ROOT) + "[\\w/$]+");

	private final Path source;

	private final int basePort;

	private final Map<String, byte[]> classes = new HashMap<>();

	ServiceJars(Path source, int basePort) throws IOException {
		this.source = source;
		this.basePort = basePort;
		try (ZipFile jar = new ZipFile(source.toFile())) {
			for (ZipEntry entry : Collections.list(jar.entries())) {
				String name = entry.getName();
				if (name.startsWith(CLASSES + ROOT) && name.endsWith(".class")) {
					this.classes.put(name.substring(CLASSES.length(), name.length() - ".class".length()),
							bytes(jar, entry));
				}
			}
		}
	}

	/**
	 * Writes the jar of a service.
	 * @param service the service
	 * @param directory where to
	 * @return the jar
	 */
	Path write(Service service, Path directory) throws IOException {
		Path target = directory.resolve(service.serviceName() + ".jar");
		Set<String> needed = needed(service.application().getName().replace('.', '/'));
		try (ZipFile jar = new ZipFile(this.source.toFile());
				ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(target)))) {
			for (ZipEntry entry : Collections.list(jar.entries())) {
				String name = entry.getName();
				if (name.equals(MANIFEST)) {
					put(out, name, manifest(bytes(jar, entry), service));
				}
				else if (isPart(name, needed)) {
					copy(jar, entry, out);
				}
			}
			put(out, CLASSES + "config/", new byte[0]);
			put(out, CLASSES + "config/application.properties", settings(service).getBytes(StandardCharsets.UTF_8));
		}
		return target;
	}

	private static boolean isPart(String name, Set<String> needed) {
		if (name.startsWith(CLASSES + "plans/")) {
			return false;
		}
		return !name.startsWith(CLASSES + ROOT) || !name.endsWith(".class")
				|| needed.contains(name.substring(CLASSES.length(), name.length() - ".class".length()));
	}

	private Set<String> needed(String application) {
		Set<String> needed = new HashSet<>();
		Deque<String> next = new ArrayDeque<>(Set.of(application));
		while (!next.isEmpty()) {
			String name = next.remove();
			byte[] bytes = this.classes.get(name);
			if (bytes != null && needed.add(name)) {
				Matcher names = NAME.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
				while (names.find()) {
					next.add(names.group());
				}
			}
		}
		return needed;
	}

	private String settings(Service service) {
		StringBuilder settings = new StringBuilder();
		settings.append("spring.application.name=%s%n".formatted(service.serviceName()));
		settings.append("server.port=%d%n".formatted(service.port(this.basePort)));
		for (Service callee : Service.values()) {
			settings.append("spring.http.serviceclient.%s.base-url=%s%n".formatted(callee.serviceName(),
					callee.address("localhost", this.basePort)));
		}
		return settings.toString();
	}

	private static byte[] manifest(byte[] bytes, Service service) throws IOException {
		Manifest manifest = new Manifest(new ByteArrayInputStream(bytes));
		manifest.getMainAttributes().putValue("Start-Class", service.application().getName());
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		manifest.write(out);
		return out.toByteArray();
	}

	private static byte[] bytes(ZipFile jar, ZipEntry entry) throws IOException {
		try (InputStream in = jar.getInputStream(entry)) {
			return in.readAllBytes();
		}
	}

	private static void put(ZipOutputStream out, String name, byte[] bytes) throws IOException {
		out.putNextEntry(new ZipEntry(name));
		out.write(bytes);
		out.closeEntry();
	}

	/** Libraries are not compressed: they are read where they are. */
	private static void copy(ZipFile jar, ZipEntry entry, ZipOutputStream out) throws IOException {
		ZipEntry copy = new ZipEntry(entry.getName());
		copy.setTime(entry.getTime());
		if (entry.getMethod() == ZipEntry.STORED) {
			copy.setMethod(ZipEntry.STORED);
			copy.setSize(entry.getSize());
			copy.setCrc(entry.getCrc());
		}
		out.putNextEntry(copy);
		try (InputStream in = jar.getInputStream(entry)) {
			in.transferTo(out);
		}
		out.closeEntry();
	}

}
