package io.github.vicinal.chronicle;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one topic, for its owner only:
 *
 * <pre>
 * topic.properties   what all publishers and subscribers agree on
 * payload.properties how payloads are written
 * queue/             the messages
 * consumers/         the position of each consumer
 * stream             the position that the subscribers of a stream share
 * sleepers           whether a subscriber may be asleep
 * publishing         which publisher appends
 * </pre>
 */
final class TopicDirectory {

	private static final String VERSION = "1";

	private static final String APPLICATION = "application";

	private static final String PAYLOAD = "payload";

	private static final Pattern CONSUMER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}");

	private final Path path;

	private final String topic;

	private TopicDirectory(Path path, String topic) {
		this.path = path;
		this.topic = topic;
	}

	/**
	 * Opens the directory of a topic, which is made if it is not there.
	 * @param root where all topics are
	 * @param topic name of the topic
	 * @param declared what this side takes the topic to be
	 * @param self the user of this process
	 * @throws TopicException if another application has declared another topic of this
	 * name, or the directory cannot be used
	 */
	static TopicDirectory open(Path root, String topic, Declaration declared, UserPrincipal self) {
		TopicDirectory directory = new TopicDirectory(root.resolve(topic), topic);
		try {
			directory.make(self);
			directory.agree(declared);
			return directory;
		}
		catch (IOException ex) {
			throw new TopicException(
					"The durable topic '%s' cannot be opened in %s, which must be a directory that this process may write to: %s"
						.formatted(topic, root, ex),
					ex);
		}
	}

	private void make(UserPrincipal self) throws IOException {
		for (Path part : new Path[] { this.path, queue(), consumers() }) {
			OwnDirectory.make(part);
			OwnDirectory.requireOwner(part, self);
		}
	}

	private void agree(Declaration declared) throws IOException {
		agree("topic.properties", declared, declared.topic());
		if (declared.payload() != null) {
			agree("payload.properties", declared, Map.of(PAYLOAD, declared.payload()));
		}
	}

	/** The first application declares the topic; the others must agree. */
	private void agree(String name, Declaration declared, Map<String, String> facts) throws IOException {
		Path file = this.path.resolve(name);
		if (!Files.exists(file)) {
			Path written = Files.createTempFile(this.path, name, ".new");
			try {
				Properties properties = new Properties();
				properties.putAll(facts);
				properties.setProperty(APPLICATION, declared.application());
				properties.setProperty("version", VERSION);
				try (OutputStream out = Files.newOutputStream(written)) {
					properties.store(out, "A durable topic of Vicinal");
				}
				Files.createLink(file, written);
			}
			catch (FileAlreadyExistsException ex) {
				// Somebody else was first.
			}
			finally {
				Files.delete(written);
			}
		}
		requireEqual(declared.application(), facts, read(file));
	}

	private Properties read(Path file) throws IOException {
		Properties properties = new Properties();
		try (InputStream in = Files.newInputStream(file)) {
			properties.load(in);
		}
		catch (IllegalArgumentException ex) {
			throw new DamagedQueueException("%s is damaged: %s".formatted(file, ex.getMessage()));
		}
		if (!VERSION.equals(properties.getProperty("version"))) {
			throw new DamagedQueueException("%s has the version '%s', not %s: it is damaged, or of another version"
				.formatted(file, properties.getProperty("version"), VERSION));
		}
		return properties;
	}

	private void requireEqual(String application, Map<String, String> facts, Properties known) {
		facts.forEach((name, value) -> {
			String other = known.getProperty(name);
			if (!value.equals(other)) {
				throw new TopicException(
						"The durable topic '%s' has the %s %s at '%s', which has declared it, but %s at '%s': let both name one %s, or stop both and delete %s with all of its messages"
							.formatted(this.topic, name, other, known.getProperty(APPLICATION), value, application,
									name, this.path));
			}
		});
	}

	/** Returns the directory in which files are made before they get their names. */
	Path drafts() {
		return this.path;
	}

	Path queue() {
		return this.path.resolve("queue");
	}

	Path stream() {
		return this.path.resolve("stream");
	}

	Path sleepers() {
		return this.path.resolve("sleepers");
	}

	Path publishing() {
		return this.path.resolve("publishing");
	}

	Path consumers() {
		return this.path.resolve("consumers");
	}

	/** Returns the file with the position of a consumer. */
	Path consumer(String name) {
		if (!CONSUMER.matcher(name).matches()) {
			throw new TopicException(
					"A consumer of a durable topic is named by up to 100 letters, digits, dots, underscores and hyphens, and begins with a letter, digit or underscore: '%s'"
						.formatted(name));
		}
		return consumers().resolve(name);
	}

	/**
	 * Facts on which all sides of a topic agree.
	 *
	 * @param application application that declares it
	 * @param model distribution of the messages
	 * @param payload how payloads are written, {@code null} for a subscriber that takes
	 * all
	 * @param roll interval between new files
	 */
	record Declaration(String application, String model, @Nullable String payload, String roll) {

		private Map<String, String> topic() {
			return Map.of("model", this.model, "roll", this.roll);
		}

	}

}
