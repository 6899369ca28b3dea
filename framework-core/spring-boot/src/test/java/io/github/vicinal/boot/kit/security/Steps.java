package io.github.vicinal.boot.kit.security;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.github.vicinal.boot.kit.security.Arrangement.Call;
import io.github.vicinal.boot.kit.security.Arrangement.Step;
import io.github.vicinal.boot.kit.security.Vault.Note;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/** The calls that are made in all arrangements. */
final class Steps {

	static final String ALICE = basic("alice", "a");

	static final String BOB = basic("bob", "b");

	static final String WRONG = basic("alice", "wrong");

	static final List<Step> COMMON = common();

	private Steps() {
	}

	static String basic(String user, String password) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
	}

	private static List<Step> common() {
		List<Step> steps = new ArrayList<>();
		add(steps, "open", (vault, memory) -> vault.open());
		for (String owner : List.of("alice", "bob", "a b", "a/b", "a;b", "100%", "ünï", "..", "a//b")) {
			add(steps, "account " + owner, (vault, memory) -> vault.account(owner, 1));
		}
		add(steps, "account 13", (vault, memory) -> vault.account("alice", 13));
		add(steps, "search", (vault, memory) -> vault.search("gold", null));
		add(steps, "search all", (vault, memory) -> vault.search("gold", "all"));
		add(steps, "search for an attack", (vault, memory) -> vault.search("' or 1=1 &x=y", "mine"));
		add(steps, "tenant none", (vault, memory) -> vault.tenant(null));
		add(steps, "tenant acme", (vault, memory) -> vault.tenant("acme"));
		add(steps, "tenant evil", (vault, memory) -> vault.tenant("evil"));
		for (String authorization : new String[] { null, ALICE, BOB, WRONG, "Bearer token-of-alice",
				"Bearer stolen" }) {
			add(steps, "me " + authorization, (vault, memory) -> vault.me(authorization));
			add(steps, "admin " + authorization, (vault, memory) -> vault.admin(authorization));
			add(steps, "guarded " + authorization, (vault, memory) -> vault.guarded("alice", authorization));
		}
		add(steps, "guarded bob", (vault, memory) -> vault.guarded("bob", ALICE));
		add(steps, "returned alice", (vault, memory) -> vault.returned("alice", ALICE));
		add(steps, "returned bob", (vault, memory) -> vault.returned("bob", ALICE));
		add(steps, "add", (vault, memory) -> vault.add(new Note(1, "good"), null));
		add(steps, "add signed", (vault, memory) -> vault.add(new Note(2, "signed"), "signed"));
		add(steps, "add bad", (vault, memory) -> vault.add(new Note(3, "forbidden"), "signed"));
		add(steps, "change", (vault, memory) -> vault.change(1, new Note(1, "changed")));
		add(steps, "remove", (vault, memory) -> {
			vault.remove(1);
			return "removed";
		});
		for (String how : List.of("not", "exception", "status", "error", "set")) {
			add(steps, "failing " + how, (vault, memory) -> vault.failing(how));
		}
		add(steps, "first visit", (vault, memory) -> {
			ResponseEntity<String> answer = vault.visit(null);
			memory.put("cookie", cookies(answer));
			return answer;
		});
		add(steps, "next visit", (vault, memory) -> vault.visit(memory.get("cookie")));
		add(steps, "post without a token", (vault, memory) -> vault.post(memory.get("cookie"), null));
		add(steps, "cross", (vault, memory) -> vault.cross("https://friend.example"));
		add(steps, "cross from an enemy", (vault, memory) -> vault.cross("https://enemy.example"));
		add(steps, "cross from nowhere", (vault, memory) -> vault.cross(null));
		return List.copyOf(steps);
	}

	/** Returns what a browser would send back. */
	static String cookies(ResponseEntity<?> answer) {
		StringBuilder cookies = new StringBuilder("kit=1");
		for (String cookie : answer.getHeaders().getOrEmpty(HttpHeaders.SET_COOKIE)) {
			cookies.append("; ").append(cookie, 0, cookie.indexOf(';'));
		}
		return cookies.toString();
	}

	private static void add(List<Step> steps, String name, Call call) {
		steps.add(new Step(name, "", call));
	}

}
