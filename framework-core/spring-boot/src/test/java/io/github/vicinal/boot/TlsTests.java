package io.github.vicinal.boot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.ChannelListener;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Clients with certificates stay on HTTP: typed calls have none. */
@Timeout(120)
class TlsTests {

	private static final int CALLS = 50;

	@TempDir
	private static Path keys;

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@BeforeAll
	static void makeKeys() throws IOException, InterruptedException {
		keytool("-genkeypair", "-alias", "vicinal", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
				"SAN=dns:localhost", "-storetype", "PKCS12", "-keystore", file("keys.p12"));
		keytool("-exportcert", "-alias", "vicinal", "-keystore", file("keys.p12"), "-file", file("certificate"));
		keytool("-importcert", "-noprompt", "-alias", "vicinal", "-file", file("certificate"), "-storetype", "PKCS12",
				"-keystore", file("trust.p12"));
	}

	private static String file(String name) {
		return keys.resolve(name).toString();
	}

	private static void keytool(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
		command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
		command.addAll(List.of(arguments));
		command.addAll(List.of("-storepass", "changeit"));
		Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
		String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(keytool.exitValue()).as(said).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "direct", "uds" })
	void callsStayWithTls(String path) {
		String rendezvous = this.directory.resolve("meet").toString();
		String store = keys.resolve("keys.p12").toUri().toString();
		String trust = keys.resolve("trust.p12").toUri().toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.server.paths", path, "vicinal.rendezvous.directory", rendezvous, "server.ssl.key-store",
						store, "server.ssl.key-store-password", "changeit", "server.ssl.trust-store", trust,
						"server.ssl.trust-store-password", "changeit", "server.ssl.client-auth", "need"));
		String url = "https://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.certificates.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.serviceclient.certificates.base-url", url,
						"spring.http.serviceclient.certificates.ssl.bundle", "mutual",
						"spring.ssl.bundle.jks.mutual.keystore.location", store,
						"spring.ssl.bundle.jks.mutual.keystore.password", "changeit",
						"spring.ssl.bundle.jks.mutual.truststore.location", trust,
						"spring.ssl.bundle.jks.mutual.truststore.password", "changeit"));
		Certificates certificates = client.getBean(Certificates.class);
		for (int i = 0; i < CALLS; i++) {
			assertThat(certificates.mine()).isEqualTo("CN=localhost");
		}
		await().untilAsserted(() -> {
			assertThat(certificates.mine()).isEqualTo("CN=localhost");
			assertThat(client.getBean(ChannelsEndpoint.class).channel("certificates").peers().toString())
				.contains("the client shows a certificate to HTTP, which typed calls do not have");
		});
		assertThat(client.getBean(Ways.class).taken).containsOnly("http");
	}

	@AffinityChannel
	@HttpExchange("/certificates")
	interface Certificates {

		@GetExchange("/mine")
		String mine();

	}

	@RestController
	static class CertificatesController implements Certificates {

		private final HttpServletRequest request;

		CertificatesController(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public String mine() {
			return (this.request.getAttribute(
					"jakarta.servlet.request.X509Certificate") instanceof java.security.cert.X509Certificate[] chain)
							? chain[0].getSubjectX500Principal().getName() : "none";
		}

	}

	/** The paths that calls have taken. */
	static class Ways {

		private final ConcurrentLinkedQueue<String> taken = new ConcurrentLinkedQueue<>();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(CertificatesController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "certificates", types = Certificates.class)
	static class Client {

		@Bean
		Ways ways() {
			return new Ways();
		}

		@Bean
		ChannelListener listener(Ways ways) {
			return (channel, method, kind, reason) -> ways.taken.add(kind.id());
		}

	}

}
