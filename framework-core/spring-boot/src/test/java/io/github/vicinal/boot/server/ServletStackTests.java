package io.github.vicinal.boot.server;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Which patterns of filters and interceptors can match the path of a handler. */
class ServletStackTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			/*,              /orders/{id},      true
			/**,             /orders/{id},      true
			*.json,          /orders/{id},      true
			/orders/*,       /orders,           true
			/orders/**,      /orders/{id},      true
			/ORDERS/**,      /orders/{id},      true
			/orders/7,       /orders/{id},      true
			/orders/7/items, /orders/{id},      true
			/{any}/items,    /orders/{id},      true
			/orders/int,     /orders/int,       true
			/orders/intern,  /orders/int,       false
			/orders/int,     /orders/intern,    false
			/admin/**,       /orders/{id},      false
			/admin/*,        /orders,           false
			/orders/old/**,  /orders/new/{id},  false
			/a?min/**,       /orders/{id},      false
			""")
	void onlyWhatCannotMatchLeavesAHandlerAlone(String pattern, String handler, boolean mayMatch) {
		assertThat(ServletStack.mayMatch(List.of(pattern), handler)).isEqualTo(mayMatch);
	}

}
