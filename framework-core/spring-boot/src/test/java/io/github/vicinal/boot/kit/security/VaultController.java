package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The vault. Annotations on it matter where method security is switched on. */
@RestController
class VaultController implements Vault {

	/** Marks handlers for interceptors. */
	@Retention(RetentionPolicy.RUNTIME)
	@interface NeedsRole {

		String value();

	}

	static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

	private final Ledger ledger;

	private final HttpServletRequest request;

	private final HttpServletResponse response;

	VaultController(Ledger ledger, HttpServletRequest request, HttpServletResponse response) {
		this.ledger = ledger;
		this.request = request;
		this.response = response;
	}

	private String did(String what) {
		String text = what + " for " + user();
		this.ledger.note("handler " + text);
		return text;
	}

	private static String user() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		return (authentication != null) ? authentication.getName() + " "
				+ new TreeSet<>(AuthorityUtils.authorityListToSet(authentication.getAuthorities())) : "nobody";
	}

	@Override
	public String open() {
		return did("open");
	}

	@Override
	public Account account(String owner, long id) {
		did("account " + owner);
		return new Account(owner, id);
	}

	@Override
	public List<String> search(String text, @Nullable String scope) {
		return List.of(did("search " + text + " " + scope));
	}

	@Override
	public String tenant(@Nullable String tenant) {
		return did("tenant " + tenant) + ", filter says " + TENANT.get();
	}

	@Override
	public String me(@Nullable String authorization) {
		return did("me") + " " + this.request.getRemoteUser() + " " + this.request.isUserInRole("ADMIN") + " "
				+ this.request.getAuthType();
	}

	@Override
	@NeedsRole("ADMIN")
	public String admin(@Nullable String authorization) {
		return did("admin");
	}

	@Override
	@PreAuthorize("#owner == authentication.name")
	public Account guarded(String owner, @Nullable String authorization) {
		did("guarded " + owner);
		return new Account(owner, 1);
	}

	@Override
	@PostAuthorize("returnObject.owner == authentication.name")
	public Account returned(String owner, @Nullable String authorization) {
		did("returned " + owner);
		return new Account(owner, 2);
	}

	@Override
	public ResponseEntity<Note> add(Note note, @Nullable String signature) {
		did("add " + note);
		return ResponseEntity.created(URI.create("/vault/notes/" + note.id())).body(note);
	}

	@Override
	public Note change(long id, Note note) {
		did("change " + id + note);
		return new Note(id, note.text());
	}

	@Override
	public void remove(long id) {
		did("remove " + id);
	}

	@Override
	public @Nullable String failing(String how) {
		did("failing " + how);
		try {
			switch (how) {
				case "exception" -> throw new IllegalStateException("failed");
				case "status" -> throw new ResponseStatusException(HttpStatus.CONFLICT, "conflict");
				case "error" -> this.response.sendError(403, "from the handler");
				case "set" -> this.response.setStatus(404);
				default -> {
				}
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return "not failing";
	}

	@Override
	public ResponseEntity<String> visit(@Nullable String cookie) {
		return ResponseEntity.ok(did("visit"));
	}

	@Override
	public ResponseEntity<String> post(@Nullable String cookie, @Nullable String token) {
		return ResponseEntity.ok(did("post"));
	}

	@Override
	public ResponseEntity<String> cross(@Nullable String origin) {
		return ResponseEntity.ok(did("cross " + origin));
	}

	/** Does what the caller asks for, beside answering. */
	private boolean does(String how) {
		try {
			switch (how) {
				case "throws" -> throw new IllegalStateException(how);
				case "status" -> throw new ResponseStatusException(HttpStatus.GONE, how);
				case "error" -> this.response.sendError(409, how);
				case "sets" -> this.response.setStatus(202);
				case "header" -> this.response.addHeader("X-Vault", how);
				case "cookie" -> this.response.addCookie(new Cookie("vault", how));
				case "writes" -> {
					this.response.setContentType("text/plain");
					this.response.getWriter().write(how);
					return false;
				}
				case "nothing" -> {
					return false;
				}
				case "typed error" -> {
					this.response.setContentType("text/plain");
					this.response.sendError(404);
				}
				case "untyped error" -> {
					this.response.setContentType("no type");
					this.response.sendError(404);
				}
				case "flushes" -> this.response.flushBuffer();
				case "flushes, writes" -> {
					this.response.flushBuffer();
					this.response.getWriter().write("gr\u00fcn");
					return false;
				}
				case "flushes, streams" -> {
					this.response.flushBuffer();
					this.response.getOutputStream().write(how.getBytes(StandardCharsets.UTF_8));
				}
				case "streams" -> this.response.getOutputStream().write(how.getBytes(StandardCharsets.UTF_8));
				default -> {
				}
			}
			return true;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public @Nullable ResponseEntity<List<Item>> items(long id, Kind kind, List<String> tags, @Nullable Integer limit,
			String how, @Nullable String trace) {
		did("items " + id + kind + tags + limit + trace);
		return does(how) ? ResponseEntity.ok()
			.header("X-Items", String.valueOf(tags.size()))
			.body(tags.stream().map((tag) -> new Item(tag, kind, tags, (limit != null) ? limit / 3.0 : null)).toList())
				: null;
	}

	@Override
	public @Nullable Item save(Item item, String how) {
		did("save " + item);
		return does(how) ? item : null;
	}

	@Override
	public void replace(long id, List<Item> items, String how) {
		did("replace " + id + items);
		does(how);
	}

	@Override
	public @Nullable String text(String text, String how) {
		did("text " + text);
		return does(how) ? text : null;
	}

	@Override
	public @Nullable String jar(@Nullable String kit, String how) {
		did("jar " + kit);
		return does(how) ? "jar " + kit : null;
	}

	@Override
	public @Nullable List<Double> numbers(Double[] values, boolean negative, String how) {
		did("numbers " + Arrays.toString(values) + negative);
		return does(how) ? Arrays.stream(values).map((value) -> negative ? -value : value).toList() : null;
	}

}
