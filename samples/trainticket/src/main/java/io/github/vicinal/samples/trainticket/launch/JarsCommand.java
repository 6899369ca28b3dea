package io.github.vicinal.samples.trainticket.launch;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Writes an executable jar for each service.
 */
@Command(name = "jars", mixinStandardHelpOptions = true, sortOptions = false,
		description = { "Writes an executable jar for each service, with its own classes only.",
				"They can run one by one, or be laid out for one JVM by copackage." })
public final class JarsCommand implements Callable<Integer> {

	@Option(names = { "-o", "--output" }, required = true, paramLabel = "DIRECTORY", description = "where to")
	private Path output = Path.of("");

	@Option(names = "--services", paramLabel = "NAME", split = ",", description = "the services (default: all)")
	private List<String> services = List.of();

	@Option(names = "--base-port", paramLabel = "PORT", defaultValue = Service.DEFAULT_BASE_PORT,
			description = "port of the gateway; the other services follow (default: ${DEFAULT-VALUE})")
	private int basePort;

	@Spec
	private @Nullable CommandSpec spec;

	@Override
	public Integer call() throws Exception {
		Path source = Path.of(System.getProperty("java.class.path", ""));
		if (!Files.isRegularFile(source)) {
			throw new UsageException("The class path is '" + source + "'",
					"the jars are made from the executable jar of the sample", "start it with java -jar");
		}
		List<Service> chosen = this.services.isEmpty() ? List.of(Service.values())
				: List.copyOf(new LinkedHashSet<>(this.services.stream().map(Service::named).toList()));
		Files.createDirectories(this.output);
		ServiceJars jars = new ServiceJars(source, this.basePort);
		for (Service service : chosen) {
			Path jar = jars.write(service, this.output);
			if (this.spec != null) {
				PrintWriter out = this.spec.commandLine().getOut();
				out.println(jar);
				out.flush();
			}
		}
		return CommandLine.ExitCode.OK;
	}

}
