package io.github.vicinal.copackage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ImageJavaTests {

	@ParameterizedTest
	@CsvSource({ "eclipse-temurin:21-jre, 21", "eclipse-temurin:17.0.13_11-jdk-alpine, 17", "eclipse-temurin:21, 21",
			"eclipse-temurin:21@sha256:12ab, 21", "amazoncorretto:8u402, 8", "openjdk:1.8, 8", "openjdk:11.0-jre, 11",
			"gcr.io/distroless/java17-debian12:nonroot, 17", "registry.access.redhat.com/ubi9/openjdk-21:1.20, 21",
			"maven:3.9.6-eclipse-temurin-21, 21", "gradle:8.5-jdk17, 17", "tomcat:10.1-jdk17, 17",
			"azul/zulu-openjdk-alpine:21-jre, 21", "bellsoft/liberica-runtime-container:jre-17-slim-musl, 17",
			"ibm-semeru-runtimes:open-21-jre, 21", "ghcr.io/graalvm/jdk-community:21, 21",
			"ghcr.io/graalvm/graalvm-ce:ol8-java17-22.3, 17", "adoptopenjdk/openjdk11:alpine, 11",
			"registry-10.example.com:5000/temurin:21-jre, 21", "registry-17.example.com/java:latest, 0",
			"jdk17.example.com/app:1, 0", "example.com/java-base:3.2, 0", "debian:12, 0", "alpine:3.19, 0",
			"eclipse-temurin, 0", "eclipse-temurin:latest, 0", "eclipse-temurin:${JAVA}, 0" })
	void nameOfAnImage(String image, int java) {
		assertThat(of("FROM " + image).version()).isEqualTo(java);
	}

	/** An image that installs its Java itself says so in its variables only. */
	@ParameterizedTest
	@CsvSource({ "ENV JAVA_VERSION=jdk-17.0.13+11, 17", "ENV JAVA_VERSION 1.8.0_412, 8",
			"ENV JAVA_HOME=/usr/lib/jvm/java-17-amazon-corretto, 17", "ENV JAVA_HOME=/opt/java/openjdk, 21",
			"ENV JAVA_HOME=/opt/jdk-11 JAVA_VERSION=17.0.2, 17", "ENV JAVA_VERSION=latest, 21",
			"ENTRYPOINT /opt/jdk-17.0.2/bin/java -jar a.jar, 17", "ENTRYPOINT [\"/opt/java/openjdk/bin/java\"], 21",
			"ENV JAVA_HOME=/opt/jdk-17\\nENTRYPOINT ${JAVA_HOME}/bin/java -jar a.jar, 17" })
	void variablesAndTheCommandSayMoreThanTheName(String line, int java) {
		assertThat(of("FROM eclipse-temurin:21-jre\n" + line.replace("\\n", "\n")).version()).isEqualTo(java);
	}

	@Test
	void aReasonNamesWhatSaysSo() {
		assertThat(of("FROM debian:12\nENV JAVA_VERSION=17.0.2")).hasToString("Java 17 (JAVA_VERSION=17.0.2)");
		assertThat(of("FROM openjdk:17")).hasToString("Java 17 (openjdk:17)");
		assertThat(of("FROM debian:12\nENTRYPOINT /opt/jdk-17/bin/java -jar a.jar"))
			.hasToString("Java 17 (/opt/jdk-17/bin/java)");
		assertThat(ImageJava.of(null).version()).isZero();
	}

	private static ImageJava of(String dockerfile) {
		return ImageJava.of(DockerfileReader.read("Dockerfile", dockerfile));
	}

}
