package io.github.vicinal.exchange;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RouteSizesTests {

	private final RouteSizes sizes = new RouteSizes();

	private static long shape(String method, String target) {
		return RouteSizes.shape(new RequestHead(method, target, HttpFields.NONE));
	}

	@Test
	void numbersAreAlike() {
		assertThat(shape("GET", "/orders/17/lines/3")).isEqualTo(shape("GET", "/orders/4711/lines/9?page=2"));
		assertThat(shape("GET", "/orders/17")).isNotEqualTo(shape("PUT", "/orders/17"));
		assertThat(shape("GET", "/orders/17")).isNotEqualTo(shape("GET", "/orders/list"));
		assertThat(shape("GET", "/orders/17")).isNotEqualTo(shape("GET", "/orders/17/lines"));
		assertThat(shape("GET", "/files/" + "a".repeat(40))).isEqualTo(shape("GET", "/files/" + "b".repeat(50)));
	}

	@Test
	void isSmallAfterSmallResponses() {
		long shape = shape("GET", "/orders/17");
		assertThat(this.sizes.isSmall(shape)).isFalse();
		this.sizes.observe(shape, true);
		assertThat(this.sizes.isSmall(shape)).isFalse();
		this.sizes.observe(shape, true);
		assertThat(this.sizes.isSmall(shape)).isTrue();
		assertThat(this.sizes.isSmall(shape("GET", "/orders/list"))).isFalse();
	}

	@Test
	void oneLargeResponseEndsIt() {
		long shape = shape("GET", "/orders/17");
		this.sizes.observe(shape, true);
		this.sizes.observe(shape, true);
		this.sizes.observe(shape, false);
		assertThat(this.sizes.isSmall(shape)).isFalse();
		this.sizes.observe(shape, true);
		assertThat(this.sizes.isSmall(shape)).isFalse();
	}

	@Test
	void whatIsNeverToBeExecutedThereIsNot() {
		long shape = shape("GET", "/orders/17");
		this.sizes.never(shape);
		for (int i = 0; i < 5; i++) {
			this.sizes.observe(shape, true);
		}
		assertThat(this.sizes.isSmall(shape)).isFalse();
	}

}
