/**
 * HTTP exchanges of HTTP clients: requests that go to peers by other paths than a socket,
 * below everything that the client does with them.
 * <p>
 * Each kind of client is entered where its library would take a connection: behind its
 * interceptors, cookies, redirects, retries and authentication. A request that no path
 * can take goes over HTTP as ever, and asks its server for paths on the way: only servers
 * that may be asked, so that third parties never see a header of ours.
 * <p>
 * Internal to Vicinal, but for documented interfaces: public types are for other packages
 * of its modules, and may change in any release.
 */
@NullMarked
package io.github.vicinal.boot.exchange;

import org.jspecify.annotations.NullMarked;
