package io.github.vicinal.boot.server;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.filter.OncePerRequestFilter;

import io.github.vicinal.peer.PeerAnnouncement;

/** Announces this instance to clients that ask for a contract. */
public final class AnnouncementFilter extends OncePerRequestFilter {

	private final ServiceCatalog catalog;

	/**
	 * Creates the filter.
	 * @param catalog what there is to announce
	 */
	public AnnouncementFilter(ServiceCatalog catalog) {
		this.catalog = catalog;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		String contract = request.getHeader(PeerAnnouncement.REQUEST_HEADER);
		if (contract != null) {
			String announcement = this.catalog.announcement(contract, request.getLocalAddr(), request.getLocalPort());
			if (announcement != null) {
				response.setHeader(PeerAnnouncement.HEADER, announcement);
			}
		}
		chain.doFilter(request, new ChannelResponse(response, contract != null));
	}

}
