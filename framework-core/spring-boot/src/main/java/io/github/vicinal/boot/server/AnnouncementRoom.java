package io.github.vicinal.boot.server;

import org.jspecify.annotations.Nullable;

/**
 * Room for an announcement beside the headers of a response. Servers and clients refuse
 * responses whose headers are larger than they allow. Needs neither servlets nor reactive
 * types, so that servers of both kinds can load it.
 */
final class AnnouncementRoom {

	/**
	 * Maximum size of the headers of a response that announces: half of what Tomcat and
	 * Jetty allow unless they are told otherwise. The other half is for what the server
	 * adds.
	 */
	static final int MAX_CHARS = 4096;

	/** What separates and ends a name and a value. */
	private static final int HEADER_CHARS = ": \r\n".length();

	private AnnouncementRoom() {
	}

	/**
	 * Returns the size of a header.
	 * @param name its name; what servers make of none is theirs to say
	 * @param value its value
	 * @return number of characters
	 */
	static int chars(@Nullable String name, @Nullable String value) {
		return ((name != null) ? name.length() : 0) + HEADER_CHARS + ((value != null) ? value.length() : 0);
	}

}
