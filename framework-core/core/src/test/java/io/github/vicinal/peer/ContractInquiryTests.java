package io.github.vicinal.peer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ContractInquiryTests {

	@ParameterizedTest
	@CsvSource(textBlock = """
			shop.Orders,                  shop.Orders, false
			shop.Orders; confirm,         shop.Orders, true
			shop.Orders;later=1 ;confirm, shop.Orders, true
			shop.Orders; confirmation,    shop.Orders, false
			;confirm,                     '',          true
			'',                           '',          false
			""")
	void readsWhatAnybodyWrote(String value, String contract, boolean confirms) {
		assertThat(ContractInquiry.parse(value)).isEqualTo(new ContractInquiry(contract, confirms));
	}

	@ParameterizedTest
	@CsvSource({ "true", "false" })
	void readsWhatItWrites(boolean confirms) {
		ContractInquiry inquiry = new ContractInquiry("shop.Orders", confirms);
		assertThat(ContractInquiry.parse(inquiry.format())).isEqualTo(inquiry);
	}

}
