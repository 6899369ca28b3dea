package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Whatever the other side says, only bytes that are there are reached. */
class PeerPayloadTests {

	private static final int INLINE = 2048;

	private static final int MAX = 1 << 20;

	private Path directory;

	private Segment segment;

	private SlabArena arena;

	private PeerArenas arenas;

	private int arenaBytes;

	@BeforeEach
	void create() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-payload");
		MemoryFiles files = new MemoryFiles(this.directory);
		this.segment = Segment.create(files, Segment.newName(), new SegmentLayout(4, INLINE));
		this.arenas = new PeerArenas(this.directory, 64 << 20);
		this.arena = new SlabArena(files, 64 << 20, (number, name, bytes) -> {
			try {
				this.arenas.add(number, name, bytes);
				this.arenaBytes = bytes;
			}
			catch (WireException ex) {
				throw new java.io.IOException(ex);
			}
		}, () -> {
		}, () -> false);
		this.arena.free(this.arena.allocate(20_000, System.nanoTime() + TimeUnit.SECONDS.toNanos(20)));
	}

	@AfterEach
	void delete() throws Exception {
		this.arena.close();
		Segment.deleteOrphans(this.directory, Duration.ofSeconds(-10));
		Files.delete(this.directory);
	}

	@Property(tries = 5000)
	void wordsOfTheOtherSideAreCheckedBeforeTheyAreUsed(@ForAll int length,
			@ForAll @IntRange(min = -3, max = 2) int place, @ForAll int offset, @ForAll boolean plausible)
			throws Exception {
		int bytes = plausible ? Math.floorMod(length, 40_000) : length;
		int from = plausible ? Math.floorMod(offset, this.arenaBytes) : offset;
		boolean inline = place == SegmentLayout.INLINE && bytes >= 0 && bytes <= INLINE;
		boolean inArena = place == 0 && bytes >= 0 && bytes <= MAX && from >= 0
				&& (long) from + bytes <= this.arenaBytes;
		PeerPayload payload = payload();
		try {
			payload.find(bytes, place, from);
		}
		catch (WireException ex) {
			assertThat(inline || inArena).isFalse();
			assertThat(ex.refusal()).isEqualTo((bytes < 0 || bytes > MAX) ? Refusal.TOO_LARGE : Refusal.MALFORMED);
			return;
		}
		assertThat(inline || inArena).isTrue();
		ByteBuffer window = payload.view();
		assertThat(window.remaining()).isEqualTo(bytes);
		assertThat(window.isReadOnly()).isTrue();
		byte[] copy = payload.copy(new byte[10]);
		assertThat(ByteBuffer.wrap(copy, 0, bytes)).isEqualTo(window);
		payload.claim();
	}

	/**
	 * A payload that does not fit there would overwrite others. Shorter requests lie in
	 * their lanes: each of them would have an arena made, as no slab is small enough.
	 */
	@Property(tries = 2000)
	void anAnswerHasTheRoomOfItsRequestsSizeClass(@ForAll @IntRange(min = 2049, max = 60_000) int request,
			@ForAll @IntRange(max = 70_000) int answer) throws Exception {
		SlabArena.Slab slab = this.arena.allocate(request, System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
		assertThat(slab).as(() -> this.arena.whyExhausted(request)).isNotNull();
		try {
			PeerPayload atServer = payload();
			atServer.find(request, slab.place(), slab.offset());
			boolean fits = atServer.hasRoom(answer);
			assertThat(fits).isEqualTo(answer <= SlabArena.slabBytes(request));
			PeerPayload atClient = payload();
			if (fits) {
				assertThat(answer).isLessThanOrEqualTo(slab.bytes());
				byte[] bytes = new byte[answer];
				Arrays.fill(bytes, (byte) request);
				atServer.memory().put(atServer.offset(), bytes, 0, answer);
				atClient.find(answer, slab);
				assertThat(ByteBuffer.wrap(atClient.copy(new byte[0]), 0, answer)).isEqualTo(ByteBuffer.wrap(bytes));
			}
			if (answer > slab.bytes()) {
				assertThatExceptionOfType(WireException.class).isThrownBy(() -> atClient.find(answer, slab));
			}
		}
		finally {
			this.arena.free(slab);
		}
	}

	private PeerPayload payload() {
		return new PeerPayload(this.segment, this.segment.layout().requestArea(1), this.arenas, MAX);
	}

}
