package io.github.vicinal.boot.test;

import org.springframework.stereotype.Component;

/** What a test of clients can do without. */
@Component
class Database {

	Database() {
		throw new IllegalStateException("There is no database in a test of clients");
	}

}
