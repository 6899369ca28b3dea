package io.github.vicinal.contract;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Decides from the class file of a record whether its accessors and its canonical
 * constructor do exactly what the compiler's own do: return a field, and assign each
 * parameter to its field. Reflection cannot distinguish a generated member from a written
 * one.
 * <p>
 * A record counts as custom unless the opposite is proven: if its class file is not found
 * or not understood, or if its code is equivalent but not the same instructions.
 */
final class RecordCode {

	private static final int MAGIC = 0xCAFEBABE;

	private static final int ALOAD_0 = 0x2A;

	private static final int GETFIELD = 0xB4;

	private static final int PUTFIELD = 0xB5;

	private static final int INVOKESPECIAL = 0xB7;

	private static final int RETURN = 0xB1;

	private static final int WIDE = 0xC4;

	private static final int MAX_CLASS_FILE_BYTES = 1 << 20;

	/** Kinds of values, in the order of the instructions that load and return them. */
	private static final String KINDS = "IJFDA";

	private static final int IRETURN = 0xAC;

	private static final int ILOAD = 0x15;

	private static final int ILOAD_0 = 0x1A;

	private static final int SHORT_FORMS = 4;

	private final RecordComponent[] components;

	/** UTF-8 constants as {@link String}, other ones as the bytes that follow the tag. */
	private Object[] constants = {};

	private String self = "";

	/** Code by name and descriptor; {@code null} if it has exception handlers. */
	private final Map<String, byte @Nullable []> code = new HashMap<>();

	private RecordCode(Class<?> type) {
		this.components = type.getRecordComponents();
	}

	/**
	 * Returns which member of a record is not the compiler's own.
	 * @param type a record
	 * @return the reason, or {@code null} if all are
	 */
	static @Nullable String whyCustom(Class<?> type) {
		RecordCode read = new RecordCode(type);
		try {
			byte[] bytes = classFile(type);
			if (bytes == null) {
				return "the class file of " + type.getName() + " cannot be found";
			}
			read.parse(new DataInputStream(new ByteArrayInputStream(bytes)));
			return read.self.equals(internalName(type)) ? read.firstCustom(type)
					: "the class file of " + type.getName() + " is that of another class";
		}
		catch (IOException | RuntimeException ex) {
			return "the class file of " + type.getName() + " cannot be read";
		}
	}

	private static byte @Nullable [] classFile(Class<?> type) throws IOException {
		try (InputStream in = type.getResourceAsStream("/" + internalName(type) + ".class")) {
			return (in != null) ? in.readNBytes(MAX_CLASS_FILE_BYTES) : null;
		}
	}

	private static String internalName(Class<?> type) {
		return type.getName().replace('.', '/');
	}

	private @Nullable String firstCustom(Class<?> type) {
		StringBuilder parameters = new StringBuilder("(");
		for (RecordComponent component : this.components) {
			String descriptor = component.getType().descriptorString();
			byte[] accessor = this.code.get(component.getName() + "()" + descriptor);
			if (accessor == null || !returnsField(accessor, component.getName(), descriptor)) {
				return type.getName() + "." + component.getName() + "() is not the compiler's own accessor";
			}
			parameters.append(descriptor);
		}
		byte[] constructor = this.code.get("<init>" + parameters + ")V");
		if (constructor == null || !assignsAll(ByteBuffer.wrap(constructor))) {
			return "the canonical constructor of " + type.getName() + " is not the compiler's own";
		}
		return null;
	}

	private boolean returnsField(byte[] accessor, String name, String descriptor) {
		ByteBuffer in = ByteBuffer.wrap(accessor);
		return in.remaining() == 5 && next(in) == ALOAD_0 && next(in) == GETFIELD
				&& member(in.getShort()).equals(member(this.self, name, descriptor))
				&& next(in) == IRETURN + kind(descriptor);
	}

	private boolean assignsAll(ByteBuffer in) {
		if (in.remaining() < 4 || next(in) != ALOAD_0 || next(in) != INVOKESPECIAL
				|| !member(in.getShort()).equals(member("java/lang/Record", "<init>", "()V"))) {
			return false;
		}
		int slot = 1;
		for (RecordComponent component : this.components) {
			String descriptor = component.getType().descriptorString();
			boolean assigned = in.remaining() > 5 && next(in) == ALOAD_0 && loads(in, kind(descriptor), slot)
					&& in.remaining() > 3 && next(in) == PUTFIELD
					&& member(in.getShort()).equals(member(this.self, component.getName(), descriptor));
			if (!assigned) {
				return false;
			}
			slot += (descriptor.equals("J") || descriptor.equals("D")) ? 2 : 1;
		}
		return in.remaining() == 1 && next(in) == RETURN;
	}

	/** Reads an instruction that pushes the parameter in a slot. */
	private static boolean loads(ByteBuffer in, int kind, int slot) {
		int instruction = next(in);
		if (slot < SHORT_FORMS) {
			return instruction == ILOAD_0 + kind * SHORT_FORMS + slot;
		}
		if (instruction == WIDE) {
			return next(in) == ILOAD + kind && in.remaining() > 1 && (in.getShort() & 0xFFFF) == slot;
		}
		return instruction == ILOAD + kind && next(in) == slot;
	}

	private static int next(ByteBuffer in) {
		return in.get() & 0xFF;
	}

	private static int kind(String descriptor) {
		return switch (descriptor.charAt(0)) {
			case 'Z', 'B', 'C', 'S', 'I' -> 0;
			case 'J', 'F', 'D' -> KINDS.indexOf(descriptor.charAt(0));
			default -> KINDS.indexOf('A');
		};
	}

	private static String member(String owner, String name, String descriptor) {
		return owner + "." + name + ":" + descriptor;
	}

	/** Describes what a field or method reference refers to. */
	private String member(short index) {
		ByteBuffer reference = entry(index & 0xFFFF);
		ByteBuffer name = entry(reference.getShort(2) & 0xFFFF);
		return member(className(reference.getShort(0) & 0xFFFF), utf8(name.getShort(0) & 0xFFFF),
				utf8(name.getShort(2) & 0xFFFF));
	}

	private String className(int index) {
		return utf8(entry(index).getShort(0) & 0xFFFF);
	}

	private ByteBuffer entry(int index) {
		return ByteBuffer.wrap((byte[]) this.constants[index]);
	}

	private String utf8(int index) {
		return (String) this.constants[index];
	}

	private void parse(DataInputStream in) throws IOException {
		if (in.readInt() != MAGIC) {
			throw new IOException("no class file");
		}
		in.readInt();
		parseConstants(in);
		in.readUnsignedShort();
		this.self = className(in.readUnsignedShort());
		in.readUnsignedShort();
		in.skipNBytes(2L * in.readUnsignedShort());
		parseMembers(in);
		parseMembers(in);
	}

	private void parseConstants(DataInputStream in) throws IOException {
		this.constants = new Object[in.readUnsignedShort()];
		for (int i = 1; i < this.constants.length; i++) {
			int tag = in.readUnsignedByte();
			switch (tag) {
				case 1 -> this.constants[i] = in.readUTF();
				case 7, 8, 16, 19, 20 -> this.constants[i] = bytes(in, 2);
				case 15 -> this.constants[i] = bytes(in, 3);
				case 3, 4, 9, 10, 11, 12, 17, 18 -> this.constants[i] = bytes(in, 4);
				// Takes the place of two.
				case 5, 6 -> this.constants[i++] = bytes(in, 8);
				default -> throw new IOException("a constant of the unknown kind " + tag);
			}
		}
	}

	private static byte[] bytes(DataInputStream in, int count) throws IOException {
		byte[] bytes = new byte[count];
		in.readFully(bytes);
		return bytes;
	}

	private void parseMembers(DataInputStream in) throws IOException {
		int members = in.readUnsignedShort();
		for (int i = 0; i < members; i++) {
			in.readUnsignedShort();
			String member = utf8(in.readUnsignedShort()) + utf8(in.readUnsignedShort());
			int attributes = in.readUnsignedShort();
			for (int j = 0; j < attributes; j++) {
				String name = utf8(in.readUnsignedShort());
				byte[] attribute = in.readNBytes(in.readInt());
				if (name.equals("Code")) {
					this.code.put(member, withoutHandlers(new DataInputStream(new ByteArrayInputStream(attribute))));
				}
			}
		}
	}

	private static byte @Nullable [] withoutHandlers(DataInputStream in) throws IOException {
		in.readInt();
		byte[] code = in.readNBytes(in.readInt());
		return (in.readUnsignedShort() == 0) ? code : null;
	}

}
