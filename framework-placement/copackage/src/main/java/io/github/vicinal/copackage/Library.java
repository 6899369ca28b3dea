package io.github.vicinal.copackage;

/**
 * A jar that an application brings along.
 *
 * @param coordinates group and artifact, or the artifact alone where the group is not
 * known
 * @param version its version; empty if it is not known
 * @param sha256 of its bytes, in hexadecimal; empty if they are not there
 * @param file its name in the application; empty if it is not there
 * @param java the Java version that it needs; 0 if it is not known
 * @since 0.1.0
 */
public record Library(String coordinates, String version, String sha256, String file, int java) {

	/**
	 * Returns the artifact.
	 * @return the coordinates without the group
	 */
	public String artifact() {
		return this.coordinates.substring(this.coordinates.indexOf(':') + 1);
	}

	@Override
	public String toString() {
		return this.version.isEmpty() ? this.coordinates : this.coordinates + ":" + this.version;
	}

}
