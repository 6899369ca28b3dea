package io.github.vicinal.replica;

/**
 * Distance of a replica, nearest first.
 *
 * @since 0.1.0
 */
public enum Locality {

	/** In this JVM. */
	JVM,

	/** On this host. */
	HOST,

	/** In this zone. */
	ZONE,

	/** Anywhere else, or not known. */
	ANY

}
