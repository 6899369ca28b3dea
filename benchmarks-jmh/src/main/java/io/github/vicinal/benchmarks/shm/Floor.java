package io.github.vicinal.benchmarks.shm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A C program that does nothing but wake another process and be woken by it. It is
 * compiled when it is needed.
 */
final class Floor {

	private static final String SOURCE = "/shm/floor.c";

	private static final long COMPILE_SECONDS = 60;

	private final Path program;

	private final Path directory;

	private Floor(Path program, Path directory) {
		this.program = program;
		this.directory = directory;
	}

	/**
	 * Compiles the program.
	 * @param directory where it and its FIFOs are
	 * @return the program
	 * @throws IOException if there is no compiler, or it does not compile it
	 */
	static Floor compile(Path directory) throws IOException, InterruptedException {
		Path source = directory.resolve("floor.c");
		try (InputStream in = Floor.class.getResourceAsStream(SOURCE)) {
			if (in == null) {
				throw new IOException("the source %s is missing from this program".formatted(SOURCE));
			}
			Files.write(source, in.readAllBytes());
		}
		Path program = directory.resolve("floor");
		Process compiler = new ProcessBuilder("cc", "-O2", "-o", program.toString(), source.toString())
			.redirectErrorStream(true)
			.start();
		String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (!compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
			throw new IOException("cc does not compile it: " + output);
		}
		return new Floor(program, directory);
	}

	/**
	 * Measures round trips.
	 * @param kind {@code futex}, {@code fifo} or {@code uds}
	 * @param bytes what a message of {@code uds} has
	 * @param millis for how long
	 * @return median and processor time; no other percentiles
	 */
	Result run(String kind, int bytes, int millis) throws IOException, InterruptedException {
		return run(List.of(this.program.toString(), kind, Integer.toString(bytes), Integer.toString(millis),
				this.directory.toString()));
	}

	/**
	 * Measures round trips with each process bound to a processor.
	 * @param kind {@code futex} or {@code fifo}
	 * @param millis for how long
	 * @param processors that of the caller and that of the answerer
	 * @return median and processor time; no other percentiles
	 */
	Result runBound(String kind, int millis, int[] processors) throws IOException, InterruptedException {
		return run(List.of(this.program.toString(), kind, "0", Integer.toString(millis), this.directory.toString(),
				Integer.toString(processors[0]), Integer.toString(processors[1])));
	}

	private static Result run(List<String> command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		String[] fields = output.split(" ");
		if (process.waitFor() != 0 || fields.length != 3) {
			throw new IOException("The floor program failed: " + output);
		}
		return new Result(Double.parseDouble(fields[0]), Double.NaN, Double.NaN, Double.parseDouble(fields[1]),
				Long.parseLong(fields[2]), 0);
	}

}
