package io.github.vicinal.boot.client;

import feign.Client;

/**
 * A client that behaves as Feign's own one on {@code HttpURLConnection}, except that it
 * follows no redirects if the options say so.
 */
public interface UrlConnectionClient extends Client {

}
