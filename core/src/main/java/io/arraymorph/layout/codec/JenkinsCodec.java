package io.arraymorph.layout.codec;

/**
 * Four bytes of Bob Jenkins' lookup3 checksum after the data, as HDF5 computes it (numcodecs {@code
 * jenkins_lookup3}).
 *
 * @param seed what the checksum starts from
 */
public record JenkinsCodec(int seed) implements BytesBytesCodec {

  @Override
  public String name() {
    return "jenkins_lookup3";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.plus(4);
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    if (encoded.length() < 4) {
      throw new CodecException(name() + ": " + encoded.length() + " bytes hold no checksum");
    }
    ByteSpan data = encoded.slice(0, encoded.length() - 4);
    decoded.check("the data", data.length());
    int stored = encoded.intAt(data.length());
    int computed = hash(data);
    if (stored != computed) {
      throw new CodecException(
          String.format("%s mismatch (stored %08x, computed %08x)", name(), stored, computed));
    }
    return data;
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    byte[] target = new byte[bytes.length() + 4];
    System.arraycopy(bytes.array(), bytes.offset(), target, 0, bytes.length());
    LittleEndian.INT.set(target, bytes.length(), hash(bytes));
    return ByteSpan.of(target);
  }

  /** The function {@code hashlittle} of lookup3.c. */
  private int hash(ByteSpan data) {
    int a = 0xdeadbeef + data.length() + seed;
    int b = a;
    int c = a;
    int at = 0;
    int left = data.length();
    for (; left > 12; left -= 12, at += 12) {
      a += data.intAt(at);
      b += data.intAt(at + 4);
      c += data.intAt(at + 8);
      a = (a - c) ^ Integer.rotateLeft(c, 4);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 6);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 8);
      b += a;
      a = (a - c) ^ Integer.rotateLeft(c, 16);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 19);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 4);
      b += a;
    }
    if (left == 0) {
      return c;
    }
    a += word(data, at, left);
    b += word(data, at + 4, left - 4);
    c += word(data, at + 8, left - 8);
    c = (c ^ b) - Integer.rotateLeft(b, 14);
    a = (a ^ c) - Integer.rotateLeft(c, 11);
    b = (b ^ a) - Integer.rotateLeft(a, 25);
    c = (c ^ b) - Integer.rotateLeft(b, 16);
    a = (a ^ c) - Integer.rotateLeft(c, 4);
    b = (b ^ a) - Integer.rotateLeft(a, 14);
    return (c ^ b) - Integer.rotateLeft(b, 24);
  }

  /** Up to four bytes as a little-endian number. */
  private static int word(ByteSpan data, int at, int left) {
    int word = 0;
    for (int i = 0; i < Math.min(4, left); i++) {
      word |= (data.array()[data.offset() + at + i] & 0xff) << (8 * i);
    }
    return word;
  }
}
