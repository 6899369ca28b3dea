package io.github.vicinal.starter;

import java.nio.file.Path;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

import static org.assertj.core.api.Assertions.assertThat;

/** What applications get from the starter, whatever else they have. */
class StarterDependenciesTests {

	/**
	 * The auto-configuration of clients needs it. Applications with Feign as their only
	 * client have it from nowhere else.
	 */
	@Test
	void settingsOfHttpClientsAreThere() throws Exception {
		Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Path.of("pom.xml").toFile());
		XPath path = XPathFactory.newInstance().newXPath();
		assertThat(path.evaluate("/project/dependencies/dependency[artifactId='spring-boot-http-client']/scope", pom))
			.isEqualTo("runtime");
	}

}
