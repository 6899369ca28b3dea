package io.github.vicinal.peer;

/**
 * Advice on failures whose cause is a limit of the operating system.
 *
 * @since 0.1.0
 */
public final class ResourceLimits {

	/**
	 * The kernel's text for the limit of the whole system; that of a process is a part of
	 * it.
	 */
	private static final String OF_SYSTEM = "Too many open files in system";

	private static final String OF_PROCESS = "Too many open files";

	private ResourceLimits() {
	}

	/**
	 * Names the limit that has to be raised.
	 * @param cause a failure
	 * @return an imperative sentence without a full stop, empty if the cause is no known
	 * limit
	 */
	public static String remedy(Throwable cause) {
		String text = String.valueOf(cause.getMessage());
		if (text.contains(OF_SYSTEM)) {
			return "raise the limit of open files of this host (fs.file-max)";
		}
		if (text.contains(OF_PROCESS)) {
			return "raise the limit of open files of this process (ulimit -n, LimitNOFILE)";
		}
		if (cause instanceof OutOfMemoryError && text.contains("native thread")) {
			return "raise the limit of threads of this process (ulimit -u, pids.max)";
		}
		return "";
	}

}
