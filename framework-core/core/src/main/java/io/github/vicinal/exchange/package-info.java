/**
 * HTTP exchanges: requests and responses as they are, over paths other than HTTP.
 * <p>
 * An <em>exchange</em> is one request and its response: method, raw target, fields and
 * body, status, fields and body. It needs no interface that client and server share: the
 * server hands it to its own web server, as if it had come by a socket.
 * <p>
 * An exchange travels as calls of one contract that Vicinal itself owns,
 * {@link io.github.vicinal.exchange.HttpExchanges}. So every kind of path carries
 * exchanges, and peers, selection, reports and meters are those of typed calls. A small
 * exchange is one call. A longer body travels in <em>parts</em>, one call each: the
 * client <em>pushes</em> parts of the request and <em>pulls</em> parts of the response,
 * so that neither side holds more than a few of them.
 */
@NullMarked
package io.github.vicinal.exchange;

import org.jspecify.annotations.NullMarked;
