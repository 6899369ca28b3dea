package io.github.vicinal.boot.test;

import org.springframework.stereotype.Component;

/** Component that a test of clients does not need. */
@Component
class Database {

	Database() {
		throw new IllegalStateException("There is no database in a test of clients");
	}

}
