package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The paper's own example: of the Page-Rank application, exactly config with discovery,
 * and web with crawler, were merged. The facts of its poms and Dockerfiles: one parent,
 * Spring Boot 1.3.4; config and discovery import Spring Cloud Brixton.M4, the other two
 * inherit Brixton.BUILD-SNAPSHOT; all run on java:8.
 */
class PageRankTests {

	private static final String PARENT = """
			<project xmlns="http://maven.apache.org/POM/4.0.0">
			  <parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>
			    <version>1.3.4.RELEASE</version><relativePath/></parent>
			  <groupId>org.kbastani</groupId><artifactId>parent</artifactId><version>1</version>
			  <properties><java.version>1.8</java.version><cloud>Brixton.BUILD-SNAPSHOT</cloud></properties>
			  <dependencyManagement><dependencies><dependency>
			    <groupId>org.springframework.cloud</groupId><artifactId>spring-cloud-dependencies</artifactId>
			    <version>${cloud}</version><type>pom</type><scope>import</scope>
			  </dependency></dependencies></dependencyManagement>
			</project>
			""";

	private static final String MODULE = """
			<project xmlns="http://maven.apache.org/POM/4.0.0">
			  <parent><groupId>org.kbastani</groupId><artifactId>parent</artifactId><version>1</version></parent>
			  <artifactId>%s</artifactId>
			  %s
			  <dependencies>%s</dependencies>
			</project>
			""";

	private static final String M4 = """
			<dependencyManagement><dependencies><dependency>
			  <groupId>org.springframework.cloud</groupId><artifactId>spring-cloud-dependencies</artifactId>
			  <version>Brixton.M4</version><type>pom</type><scope>import</scope>
			</dependency></dependencies></dependencyManagement>
			""";

	@TempDir
	private Path directory;

	private String module(String name, String management, int port, String... dependencies) throws IOException {
		Path module = Files.createDirectories(this.directory.resolve(name));
		StringBuilder list = new StringBuilder();
		for (String each : dependencies) {
			String[] parts = each.split(":");
			list.append("<dependency><groupId>%s</groupId><artifactId>%s</artifactId>%s</dependency>"
				.formatted(parts[0], parts[1], (parts.length > 2) ? "<version>" + parts[2] + "</version>" : ""));
		}
		Files.writeString(module.resolve("pom.xml"), MODULE.formatted(name, management, list));
		Files.createDirectories(module.resolve("src/main/docker"));
		Files.writeString(module.resolve("src/main/docker/Dockerfile"), """
				FROM java:8
				VOLUME /tmp
				ADD app.jar app.jar
				ENTRYPOINT ["java", "-Djava.security.egd=file:/dev/./urandom", "-jar", "/app.jar"]
				""");
		Files.createDirectories(module.resolve("src/main/resources"));
		Files.writeString(module.resolve("src/main/resources/application.yml"),
				"server:\n  port: %d\n".formatted(port));
		return module.toString();
	}

	private List<Inventory> applications() throws IOException {
		Files.writeString(this.directory.resolve("pom.xml"), PARENT);
		String cloud = "org.springframework.cloud:";
		String boot = "org.springframework.boot:";
		return Inventories.read(List.of(
				module("discovery", M4, 8761, cloud + "spring-cloud-starter-eureka-server",
						cloud + "spring-cloud-starter-config"),
				module("config", M4, 8888, cloud + "spring-cloud-config-server", boot + "spring-boot-starter-actuator",
						cloud + "spring-cloud-starter-eureka"),
				module("twitter-rank-web", "", 8081, boot + "spring-boot-starter-actuator",
						boot + "spring-boot-starter-web", cloud + "spring-cloud-starter-eureka",
						cloud + "spring-cloud-starter-zuul"),
				module("twitter-rank-crawler", "", 8080, boot + "spring-boot-starter-web",
						"org.springframework.data:spring-data-neo4j:4.0.0.RELEASE", boot + "spring-boot-starter-amqp",
						"org.springframework.social:spring-social-twitter:1.1.2.RELEASE",
						cloud + "spring-cloud-starter-eureka", cloud + "spring-cloud-starter-zuul")));
	}

	@Test
	void exactlyTheTwoPairsOfThePaperAreMergeable() throws IOException {
		List<PairReport> reports = new ConflictChecker(Set.of()).pairs(applications());
		assertThat(reports).hasSize(6);
		assertThat(reports).filteredOn(PairReport::mergeableByPaper)
			.extracting((report) -> report.one() + "+" + report.other())
			.containsExactlyInAnyOrder("discovery+config", "twitter-rank-web+twitter-rank-crawler");
		assertThat(reports).filteredOn((report) -> !report.mergeableByPaper())
			.extracting(PairReport::paperRefusal)
			.allSatisfy((reason) -> assertThat(reason).contains("spring-cloud-dependencies", "Brixton.M4",
					"Brixton.BUILD-SNAPSHOT"));
	}

	/** Its volume /tmp is in each image, and no JVM may hold Spring Boot 1.3. */
	@Test
	void oursSaysWhyNotOneJvm() throws IOException {
		List<PairReport> reports = new ConflictChecker(Set.of(Finding.Rule.VOLUME)).pairs(applications());
		assertThat(reports).extracting(PairReport::verdict).containsOnly(Verdict.SAME_CONTAINER);
		assertThat(reports.get(0).findings()).extracting(Finding::reason)
			.anySatisfy((reason) -> assertThat(reason).contains("Spring Boot 1.3.4.RELEASE"));
	}

}
