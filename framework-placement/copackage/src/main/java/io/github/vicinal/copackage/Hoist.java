package io.github.vicinal.copackage;

/**
 * Libraries that are loaded once for all applications of a layout. Any such library has
 * the same bytes in all of them, and names no class that one of them has for itself.
 *
 * @since 0.1.0
 */
public enum Hoist {

	/** None: each application loads all of its libraries itself. */
	NONE,

	/** Libraries that have no static field that could keep anything of an application. */
	STATELESS,

	/**
	 * In addition, libraries that are known to keep nothing of one application that
	 * another one would notice, such as Spring's. Their caches and switches in static
	 * fields are shared. Each application keeps its own log.
	 */
	KNOWN

}
