package io.github.vicinal.transport.testing;

import java.util.List;

/** Contract of the tests. */
public interface EchoContract {

	byte[] bytes(byte[] body);

	String join(String text, int number);

	Item item(Item item, String name);

	List<Item> items(List<Item> items);

	void nothing();

	/** Mutable on purpose. */
	final class Item {

		public String name = "";

		public int[] numbers = {};

	}

}
