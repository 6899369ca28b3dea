package io.github.vicinal.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Runs the applications of a layout in this JVM:
 *
 * <pre class="code">
 * java -jar launcher/vicinal-launcher.jar              run them until SIGTERM
 * java -jar launcher/vicinal-launcher.jar status       ask the launcher that runs them
 * java -jar launcher/vicinal-launcher.jar restart NAME
 * </pre>
 *
 * Exit code 0: stopped as asked, or all have ended without a failure; of a command: it is
 * done. 1: one failed that was essential, or before all had ended; of a command: the
 * application does not run. 2: the layout or the command cannot be used.
 *
 * @since 0.1.0
 */
public final class Launcher {

	private static final String LAYOUT_OPTION = "--layout=";

	/** For a process that starts the launcher and must not leave it behind. */
	private static final String END_OF_INPUT_OPTION = "--stop-at-end-of-input";

	private Launcher() {
	}

	/**
	 * Runs the launcher and ends the JVM with its exit code.
	 * @param arguments {@code --layout=DIRECTORY}, unless it is the one above the jar,
	 * and a command for the launcher that runs it
	 */
	public static void main(String[] arguments) {
		System.exit(run(arguments, System.out, System.err));
	}

	private static int run(String[] arguments, PrintStream out, PrintStream err) {
		try {
			List<String> command = new ArrayList<>();
			Path directory = null;
			boolean untilEndOfInput = false;
			for (String argument : arguments) {
				if (argument.startsWith(LAYOUT_OPTION)) {
					directory = Path.of(argument.substring(LAYOUT_OPTION.length()));
				}
				else if (argument.equals(END_OF_INPUT_OPTION)) {
					untilEndOfInput = true;
				}
				else if (argument.startsWith("-")) {
					throw new InvalidLayoutException("There is no option '%s'; there are %sDIRECTORY and %s"
						.formatted(argument, LAYOUT_OPTION, END_OF_INPUT_OPTION));
				}
				else {
					command.add(argument);
				}
			}
			Path layout = ((directory != null) ? directory : ownLayout()).toAbsolutePath().normalize();
			if (!command.isEmpty()) {
				Commands.Answer answer = ControlSocket.send(layout, String.join(" ", command));
				out.print(answer.text());
				out.flush();
				return answer.code();
			}
			return run(new LayoutReader(layout).read(), untilEndOfInput, out);
		}
		catch (InvalidLayoutException | IOException ex) {
			err.println(ex.getMessage());
			return 2;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return 1;
		}
	}

	/** The directory above the launcher's jar. */
	private static Path ownLayout() {
		try {
			Path jar = Path.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
			Path above = jar.toAbsolutePath().getParent();
			Path layout = (above != null) ? above.getParent() : null;
			if (layout != null) {
				return layout;
			}
		}
		catch (java.net.URISyntaxException | RuntimeException ex) {
			// Not a file.
		}
		throw new InvalidLayoutException(
				"It is not known which layout to run; say %sDIRECTORY".formatted(LAYOUT_OPTION));
	}

	private static int run(Layout layout, boolean untilEndOfInput, PrintStream out)
			throws IOException, InterruptedException {
		Environment environment = Environment.install(layout);
		Applications applications = new Applications(layout, environment, out);
		try (environment; ControlSocket control = control(layout, applications, out)) {
			Thread stop = new Thread(() -> stopAndClose(applications, control, out), "launcher-stop");
			Runtime.getRuntime().addShutdownHook(stop);
			if (untilEndOfInput) {
				finishAtEndOfInput(applications);
			}
			// One that ends while others start is noticed at once.
			new Thread(applications::startAll, "launcher-start").start();
			int code = applications.watch();
			applications.stopAll();
			return code;
		}
	}

	/** A directory that cannot be written is no reason not to run what is in it. */
	private static @Nullable ControlSocket control(Layout layout, Applications applications, PrintStream out) {
		try {
			return ControlSocket.open(layout.directory(), new Commands(applications));
		}
		catch (IOException ex) {
			out.println("[launcher] No commands are taken, because there can be no socket in '%s': %s"
				.formatted(layout.directory(), ex.getMessage()));
			return null;
		}
	}

	private static void stopAndClose(Applications applications, @Nullable ControlSocket control, PrintStream out) {
		String exit = ExitCall.find(applications.names());
		if (exit != null) {
			out.println("[launcher] " + exit);
		}
		applications.stopAll();
		if (control == null) {
			return;
		}
		try {
			control.close();
		}
		catch (IOException ex) {
			// The JVM ends.
		}
	}

	private static void finishAtEndOfInput(Applications applications) {
		Thread thread = new Thread(() -> {
			try {
				byte[] buffer = new byte[64];
				while (System.in.read(buffer) >= 0) {
					// What is said does not matter.
				}
			}
			catch (IOException ex) {
				// The same as its end.
			}
			applications.finish(0);
		}, "launcher-end-of-input");
		thread.setDaemon(true);
		thread.start();
	}

}
