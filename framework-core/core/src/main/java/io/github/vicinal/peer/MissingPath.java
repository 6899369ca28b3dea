package io.github.vicinal.peer;

import java.util.Locale;

/**
 * Why a peer does not offer a kind of path. An announcement carries only the word, which
 * reveals nothing of the peer's file system, users or classes.
 *
 * @since 0.1.0
 */
public enum MissingPath {

	/** The directory is on a disk. */
	NO_TMPFS("its rendezvous directory is not on a suitable tmpfs"),

	/** There is none, or it cannot be used. */
	NO_DIRECTORY("it has no rendezvous directory that it can use"),

	/** Others could change what is in it. */
	UNSAFE_DIRECTORY("its rendezvous directory belongs to another user or can be entered by others"),

	/** For the address of a Unix domain socket. */
	LONG_PATH("the path of its rendezvous directory is too long for a Unix domain socket"),

	/** On the device of the directory, or of descriptors. */
	NO_ROOM("it has no room or no file descriptors left for it"),

	/** By {@code vicinal.server.paths}, or its modules are not there. */
	NOT_CONFIGURED("it is not configured there"),

	/** The application is ending. */
	CLOSING("it is shutting down"),

	/** Any other reason; the peer has logged it. */
	FAILED("it could not be started there; the log and the endpoint of the peer say why");

	private final String sentence;

	MissingPath(String sentence) {
		this.sentence = sentence;
	}

	/**
	 * Returns the word of the announcement.
	 * @return for instance {@code no-tmpfs}
	 */
	public String word() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Explains a word that a peer announced.
	 * @param word the word, which a later version may have chosen
	 * @return a part of a sentence about the peer
	 */
	public static String explain(String word) {
		for (MissingPath reason : values()) {
			if (reason.word().equals(word)) {
				return reason.sentence;
			}
		}
		return word;
	}

}
