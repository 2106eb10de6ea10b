"""Random arrays for both sides of a comparison, as .npy files."""
import array
import math
import struct

NUMPY = {"bool": "|b1", "u8": "|u1", "i8": "|i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "u64": "<u8",
         "i64": "<i8", "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8"}


def wave(count, kind, generator):
    """Light and dark in turns with some noise, as along a line of a picture: reals in [0, 1), whole numbers over all of a byte,
    10 bits of larger types."""
    values = (0.5 + 0.42 * math.sin(0.011 * i) + 0.07 * generator.random() for i in range(count))
    if kind in ("f32", "f64"):
        return array.array("f" if kind == "f32" else "d", values)
    if kind in ("f16", "bf16"):
        # Half the exponent's bits up to those of 1, so that neighbours differ little.
        return array.array("H", (int(0x3800 + 0x3ff * v) if kind == "f16" else int(0x3f00 + 0x7f * v) for v in values))
    greatest = {"bool": 1, "i8": 127, "u8": 255}.get(kind, 1023)
    return array.array({"bool": "B", "u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q"}
                       [kind], (int(greatest * v + 0.5) for v in values))


def write_array(path, kind, extents, generator):
    """Rows are parts of a few waves, each a step on from the row before: a picture, smooth but for its noise. Programs that look
    at patches or compute exponentials would do unusual work on noise alone."""
    shape = "(%d,)" % extents[0] if len(extents) == 1 else "(" + ", ".join(str(e) for e in extents) + ")"
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (NUMPY[kind], shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    row, rows = extents[-1], 1
    for extent in extents[:-1]:
        rows *= extent
    steps = 4096
    waves = [memoryview(wave(row + 3 * min(rows, steps), kind, generator)) for _ in range(min(rows, 13))]
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for y in range(rows):
            start = 3 * (y % steps)
            out.write(waves[y % len(waves)][start : start + row])
