package io.github.vicinal.launcher;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;

/**
 * Removes the JDBC drivers of an application. Its bytes are defined anew by the loader of
 * the application: nobody else may remove them.
 */
public final class DriverRemoval {

	private DriverRemoval() {
	}

	/** Removes them. */
	public static void run() {
		for (Driver driver : Collections.list(DriverManager.getDrivers())) {
			if (driver.getClass().getClassLoader() != DriverRemoval.class.getClassLoader()) {
				continue;
			}
			try {
				DriverManager.deregisterDriver(driver);
			}
			catch (SQLException ex) {
				// It stays; so does its loader.
			}
		}
	}

}
