package io.github.vicinal.peer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ContractInquiryTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			shop.Orders,                        shop.Orders, false, false
			shop.Orders; confirm,               shop.Orders, true,  false
			shop.Orders; reactive,              shop.Orders, false, true
			shop.Orders;reactive ;later;confirm, shop.Orders, true, true
			shop.Orders;later=1 ;confirm,       shop.Orders, true,  false
			shop.Orders; confirmation,          shop.Orders, false, false
			;confirm,                           '',          true,  false
			'',                                 '',          false, false
			""")
	void readsWhatAnybodyWrote(String value, String contract, boolean confirms, boolean reactive) {
		assertThat(ContractInquiry.parse(value)).isEqualTo(new ContractInquiry(contract, confirms, reactive));
	}

	@ParameterizedTest
	@CsvSource({ "true, false", "false, false", "true, true", "false, true" })
	void readsWhatItWrites(boolean confirms, boolean reactive) {
		ContractInquiry inquiry = new ContractInquiry("shop.Orders", confirms, reactive);
		assertThat(ContractInquiry.parse(inquiry.format())).isEqualTo(inquiry);
	}

}
