package io.github.vicinal.stream;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications in processes of their own, one of which is killed. */
@Timeout(120)
class StreamBinderKillTests {

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		FileSystemUtils.deleteRecursively(this.directory);
	}

	@Test
	void messagesOfAKilledMemberOfAGroupGoToAnotherOne() throws Exception {
		try (ConfigurableApplicationContext shop = application(Shop.class, this.directory, "shop")
			.properties("spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing",
					"spring.cloud.stream.output-bindings=orders-out-0")
			.run(); Member first = new Member(this.directory, "hangs")) {
			shop.getBean(StreamBridge.class).send("orders-out-0", "order");
			assertThat(first.said()).isEqualTo("order false");
			try (Member second = new Member(this.directory, "returns")) {
				assertThat(second.said()).isEqualTo("ready");
				first.process.destroyForcibly().waitFor();
				assertThat(second.said()).isEqualTo("order true");
			}
		}
	}

	private static SpringApplicationBuilder application(Class<?> type, Path directory, String name) {
		return new SpringApplicationBuilder(type).web(WebApplicationType.NONE)
			.properties("spring.application.name=" + name, "vicinal.rendezvous.directory=" + directory,
					"spring.jmx.enabled=false", "spring.main.banner-mode=off");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Billing {

		/** Says what it is given, then hangs or returns. */
		@Bean
		Consumer<Message<String>> bill(ConfigurableApplicationContext context) {
			boolean hangs = context.getEnvironment().getRequiredProperty("hangs", Boolean.class);
			return (message) -> {
				System.out.println("> " + message.getPayload() + " " + message.getHeaders().get("vicinal_redelivered"));
				while (hangs) {
					LockSupport.park();
				}
			};
		}

		public static void main(String[] args) throws IOException {
			try (ConfigurableApplicationContext billing = application(Billing.class, Path.of(args[0]), "billing")
				.properties("hangs=" + args[1].equals("hangs"),
						"spring.cloud.stream.bindings.bill-in-0.destination=orders-out-0",
						"spring.cloud.stream.bindings.bill-in-0.group=billing")
				.run()) {
				if (!args[1].equals("hangs")) {
					System.out.println("> ready");
				}
				// Ends with the test.
				while (System.in.read() >= 0) {
					assertThat(billing.isActive()).isTrue();
				}
			}
		}

	}

	/** A member of the group. */
	private static final class Member implements AutoCloseable {

		private final Process process;

		private final BufferedReader output;

		Member(Path directory, String what) throws IOException {
			this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
					Billing.class.getName(), directory.toString(), what)
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			this.output = new BufferedReader(
					new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		}

		/** Returns what it says next; its log is not that. */
		String said() throws IOException {
			for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
				if (line.startsWith("> ")) {
					return line.substring(2);
				}
			}
			throw new IOException("the process has ended");
		}

		@Override
		public void close() throws Exception {
			this.process.destroyForcibly().waitFor();
		}

	}

}
