package io.github.vicinal.requestserver;

/**
 * A setting of a request server is impossible. The message names the value, the rule and
 * the remedy.
 *
 * @since 0.1.0
 */
public final class InvalidSettingException extends IllegalArgumentException {

	private static final long serialVersionUID = 1;

	private final String setting;

	private final String remedy;

	/**
	 * Creates the exception.
	 * @param setting which setting it is, in lower-case words joined by hyphens
	 * @param value what it is
	 * @param rule what it must be, beginning with a verb such as "must"
	 * @param remedy what to do about it, as an order without a full stop
	 */
	public InvalidSettingException(String setting, Object value, String rule, String remedy) {
		super("The %s of a request server is %s, but %s; %s".formatted(setting, value, rule, remedy));
		this.setting = setting;
		this.remedy = remedy;
	}

	/**
	 * Returns which setting it is.
	 * @return its name, in lower-case words joined by hyphens
	 */
	public String setting() {
		return this.setting;
	}

	/**
	 * Returns what to do about it.
	 * @return an order, without a full stop
	 */
	public String remedy() {
		return this.remedy;
	}

}
