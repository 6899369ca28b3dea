package io.github.vicinal.transport.testing;

/** A second contract. */
public interface OtherContract {

	String twice(String text);

}
