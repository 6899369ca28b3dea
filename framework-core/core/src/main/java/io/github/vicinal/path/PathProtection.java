package io.github.vicinal.path;

/**
 * Protection of a path against reading and changing calls. Decides which paths may stand
 * in for https.
 *
 * @since 0.1.0
 */
public enum PathProtection {

	/** Others may read or change what travels, or it is not known that they cannot. */
	NONE,

	/**
	 * Both ends are in one process, or in processes of one user on one host; the kernel
	 * says so.
	 */
	SAME_USER,

	/** Encrypted by TLS; each end has verified the certificate of the other. */
	MUTUAL_TLS

}
