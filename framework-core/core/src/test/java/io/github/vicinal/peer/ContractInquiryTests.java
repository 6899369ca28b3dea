package io.github.vicinal.peer;

import java.util.Collections;
import java.util.List;

import io.github.vicinal.peer.ContractInquiry.Structure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

	@Test
	void structureIsReadAsItIsWritten() {
		Structure structure = new Structure(1, "/shop/api", List.of("0123456789abcdef", Structure.NONE));
		ContractInquiry inquiry = new ContractInquiry("shop.Orders", true, true, structure);
		assertThat(inquiry.format())
			.isEqualTo("shop.Orders; confirm; reactive; call=1; at=/shop/api; methods=0123456789abcdef,-");
		assertThat(ContractInquiry.parse(inquiry.format())).isEqualTo(inquiry);
		Structure atRoot = new Structure(Structure.OTHER_CALL, "", structure.methods());
		ContractInquiry other = new ContractInquiry("shop.Orders", false, false, atRoot);
		assertThat(ContractInquiry.parse(other.format())).isEqualTo(other);
	}

	@Test
	void structureIsKnownByItsMethodsAndTheirBase() {
		List<String> methods = List.of("0123456789abcdef", Structure.NONE);
		Structure structure = new Structure(0, "", methods);
		assertThat(structure.hash()).matches("[0-9a-f]{16}").isEqualTo(new Structure(1, "", methods).hash());
		assertThat(structure.hash()).isNotEqualTo(new Structure(0, "/api", methods).hash())
			.isNotEqualTo(new Structure(0, "", List.of(Structure.NONE, "0123456789abcdef")).hash());
		assertThat(structure.name()).isEqualTo("structure:" + structure.hash());
	}

	@ParameterizedTest
	@ValueSource(strings = { "call=0; at=", "at=; methods=-", "call=0; methods=-", "call=1; at=; methods=-",
			"call=-2; at=; methods=-", "call=x; at=; methods=-", "call=0; at=/..%2f; methods=-",
			"call=0; at=/a//b; methods=-", "call=0; at=a; methods=-", "call=0; at=; methods=",
			"call=0; at=; methods=-,", "call=0; at=; methods=0123456789ABCDEF", "call=99999999999; at=; methods=-" })
	void whatIsNoStructureIsSkipped(String parameters) {
		assertThat(ContractInquiry.parse("shop.Orders; " + parameters))
			.isEqualTo(new ContractInquiry("shop.Orders", false, false));
	}

	@Test
	void structuresOfManyMethodsAreSkipped() {
		String most = String.join(",", Collections.nCopies(Structure.MAX_METHODS, "-"));
		assertThat(ContractInquiry.parse("x; call=0; at=; methods=" + most).structure()).isNotNull();
		assertThat(ContractInquiry.parse("x; call=0; at=; methods=-," + most).structure()).isNull();
	}

}
