"""Hostile variants of a document: broken bytes, and JSON, CSV and lines whose form holds and whose values do not."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

# Raw JSON in the place of a value. What json.dumps cannot write is put in afterwards.
VALUES = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e308", "-1e308", "5e-324", "9" * 6000, "-" + "9" * 6000,
    "1" + "0" * 30, "18446744073709551615", "18446744073709551616", "9223372036854775808", "-9223372036854775809",
    "-1", "0", "-0.0", "1.5", "true", "null", "[]", "{}", '""', '"x"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"',
    '"\\u001b[2J\\u009b31m"', '"\\u202e"', '"Infinity"', '"NaN"', '"1e999"', '"' + "A" * 100_000 + '"', '"../../x"',
    '"/etc/passwd"', "[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000, "[" * 70 + "]" * 70,
    "[" + "0," * 5000 + "0]", '[["x"]]', '{"kind":"end"}', "[null]", "[1e999]", '"2026-99-99T00:00:00Z"',
)  # fmt: skip
BYTES = (
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\x1b[2J", b"\r", b"\n\n", b"\xe2\x80\xa8", b"\xef\xbb\xbf",
    b'"',
    b"'", b"\\", b"{", b"}", b"[" * 100_000, b"]", b",", b";", b"\t", b"(" * 3000, b"-" * 5000, b"NaN", b"1e999",
    b"9" * 5000, b"<think>", b"```", b"=" * 5000, b"<<<<<<< SEARCH\n", b"@@ -1 +1 @@\n", b"data: ", b"*/", b"/*",
)  # fmt: skip
_HOLE = "@@hole@@"


def mutated(seed: bytes, random: Random) -> bytes:
    """Change a document in one to three places, in the form it has."""
    data = seed
    ways = (
        (_words, _words, _words, _bytes, _cut)
        if seed[:4] == b"\x7fELF"
        else (_values, _values, _lines, _bytes, _cut)
    )
    for _ in range(random.randint(1, 3)):
        data = random.choice(ways)(data, random)
    return data


def _words(data: bytes, random: Random) -> bytes:
    """Replace a number of a binary file, most often in its head or its last table, where counts and places are."""
    width = random.choice((1, 2, 4, 8))
    where = (
        range(64),
        range(len(data) - 2048, len(data) + 1),
        range(len(data) + 1),
    )  # one may be empty otherwise
    at = max(0, random.choice(random.choice(where)) // width * width)
    value = random.choice(
        (0, 1, 3, 11, 24, 64, len(data) - 1, len(data), 1 << 15, 1 << 31, 1 << 63, -1, -2, -width)
    )
    return data[:at] + (value % (1 << 8 * width)).to_bytes(width, "little") + data[at + width :]


def _values(data: bytes, random: Random) -> bytes:
    """Replace, remove or rename a value of the document, or of one of its lines, if it is JSON."""
    lines = data.split(b"\n")
    for part, put in ((data, lambda new: new), *_some_lines(lines, random)):
        try:
            document = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return put(_with_hole(document, random))
    return _bytes(data, random)


def _some_lines(lines: list[bytes], random: Random) -> list[tuple[bytes, Callable[[bytes], bytes]]]:
    chosen = random.sample(range(len(lines)), min(3, len(lines)))
    return [
        (lines[i], lambda new, i=i: b"\n".join([*lines[:i], new, *lines[i + 1 :]]))  # type: ignore[misc]
        for i in chosen
    ]


def _with_hole(document: Any, random: Random) -> bytes:
    places = list(_places(document))
    if not places:
        return random.choice(VALUES).encode()
    holder, key = random.choice(places)
    action = random.random()
    if action < 0.75:
        holder[key] = _HOLE
    elif isinstance(holder, list):
        holder.insert(key, holder[key]) if action < 0.9 else holder.pop(key)
    else:
        value = holder.pop(key)
        if action < 0.85:
            holder[random.choice(("x", "", "kind", "\0", key.upper()))] = value
    text = json.dumps(document, separators=(",", ":")).replace(f'"{_HOLE}"', random.choice(VALUES))
    return text.encode("utf-8", "surrogatepass")


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    level = [value]
    while level:
        one = level.pop()
        keys = one.keys() if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            level.append(one[key])
    return found


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines[i], lines[j] = lines[j], lines[i]
        case 1:
            lines.insert(i, lines[j])
        case 2:
            lines.pop(i)
        case _:
            lines[i:i] = [lines[j]] * 200
    return b"\n".join(lines)


def _bytes(data: bytes, random: Random) -> bytes:
    at, piece = random.randint(0, len(data)), random.choice(BYTES)
    if random.random() < 0.3 and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    return data[:at] + piece + data[at + random.choice((0, 0, 1, 20)) :]


def _cut(data: bytes, random: Random) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] if random.random() < 0.7 else data[at:]
