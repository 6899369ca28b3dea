package io.github.vicinal.boot.client;

import java.util.Map;

/** Clients that get their channels when they are made, which may be after the start. */
@FunctionalInterface
interface LaterClients {

	/** Returns the interfaces of the clients with their groups. */
	Map<Class<?>, String> groups();

}
