package io.github.vicinal.testkit.server;

import io.github.vicinal.testkit.contract.UntouchedContract;

import org.springframework.web.bind.annotation.RestController;

@RestController
class UntouchedController implements UntouchedContract {

	@Override
	public String ping() {
		return "untouched";
	}

}
