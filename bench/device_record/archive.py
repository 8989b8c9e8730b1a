"""A record on disk: a zip file with a manifest that names every other file, and a reader that believes none of it.

Refused, in one sentence: more bytes, files or packing than any record of ours has, names that lead elsewhere, links,
encrypted or doubled entries, files that the manifest does not name or describes otherwise.
"""

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import Printable, shown
from akgen.tools.core.profile import source_of
from akgen.tools.core.untrusted import Count, JsonRefused, first_fault, parse_object, plain_text

FORMAT = 1
MANIFEST = "manifest.json"
MOST_ARCHIVE_BYTES = 64 << 20
MOST_FILES = 5000
MOST_FILE_BYTES = 32 << 20
MOST_BYTES = 256 << 20  # of all files, unpacked
MOST_DIRECTORY_BYTES = 2 << 20  # of the zip's own list
MOST_NAME = 300
_NAME = re.compile(r"[A-Za-z0-9_+=@-][A-Za-z0-9_.+=@-]*(?:/[A-Za-z0-9_+=@-][A-Za-z0-9_.+=@-]*)*")
_END, _ZIP64 = b"PK\x05\x06", b"PK\x06\x07"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # every entry's time: the same run packs to the same bytes
_REMEDY = "Ask for the record once more; `akgen record RUN` makes one."

Kind = Literal["device", "rehearsal", "twin"]


class RecordedFile(Frozen):
    path: str
    size_bytes: Count
    sha256: str
    why: Printable  # what it is there for
    scrubbed: dict[str, Count] = Field(default_factory=dict)  # what was taken out, and how often


class FilesLeftOut(Frozen):
    """Files of the run that a record does not hold: a pattern, why, and how many."""

    what: Printable
    why: Printable
    files: Count


class DeviceRecord(Frozen):
    """manifest.json."""

    format: int = FORMAT
    run: Printable
    made_at: datetime
    akgen: Printable
    toolchain: Printable
    chip: Printable
    versions: dict[str, Printable]
    device: dict[str, Printable] = Field(
        default_factory=dict
    )  # name, driver, temperature, clock: where known
    files: Annotated[tuple[RecordedFile, ...], Field(max_length=MOST_FILES)]
    left_out: tuple[FilesLeftOut, ...] = ()

    @property
    def kind(self) -> Kind:
        """Say what made its times; a rehearsal's fake CANN names itself in its version."""
        if source_of(self.toolchain) != "measured":
            return "twin"
        return "rehearsal" if "rehearsal" in self.toolchain else "device"


class OpenRecord(Frozen):
    """A record that was read: everything in memory, each file as the manifest describes it."""

    record: DeviceRecord
    name: str  # the archive's name with its digest
    contents: dict[str, bytes]

    def text(self, path: str) -> str:
        return plain_text(self.contents[path], most_bytes=MOST_FILE_BYTES)

    def unpack(self, folder: Path) -> Path:
        """Write the files below a folder that is ours; their names have been looked at."""
        for name, data in self.contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder


def write_record(path: Path, record: DeviceRecord, contents: Mapping[str, bytes]) -> None:
    """Write an archive; a reader refuses what is larger than it may be, so that is said here. Raises InputError."""
    if sum(map(len, contents.values())) > MOST_BYTES or len(contents) > MOST_FILES:
        raise InputError("The run is larger than a record may be.", "Record a run of fewer tasks.")
    part = path.with_name(f".{path.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        named = {MANIFEST: record.model_dump_json(indent=1).encode(), **contents}
        for name, data in named.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    if part.stat().st_size > MOST_ARCHIVE_BYTES:
        part.unlink()
        raise InputError("The run packs to more than a record may be.", "Record a run of fewer tasks.")
    part.replace(path)


def plain_name(name: str) -> bool:
    """Say whether a record may hold a file of this name."""
    return len(name) <= MOST_NAME and _NAME.fullmatch(name) is not None


def read_record(path: Path) -> OpenRecord:
    """Read an archive whole. Raises InputError for whatever is no record of ours."""
    try:
        data = _archive_bytes(path)
        found = _entries(path)
        record = _manifest(found.pop(MANIFEST, None))
        _compare(record, found)
    except _Refused as refused:
        raise InputError(f"{path} is no record: {refused}.", _REMEDY) from None
    digest = hashlib.sha256(data).hexdigest()[:12]
    return OpenRecord(record=record, name=f"{shown(path.name, 80)} {digest}", contents=found)


class _Refused(ValueError):
    """Why an archive is not read."""


def _archive_bytes(path: Path) -> bytes:
    """Return the archive's bytes, having looked at the size of its own list before anybody reads that."""
    try:
        if not path.is_file():
            raise _Refused("there is no such file")
        if path.stat().st_size > MOST_ARCHIVE_BYTES:
            raise _Refused(f"it has more than {MOST_ARCHIVE_BYTES >> 20} MiB")
        data = path.read_bytes()
    except OSError as problem:
        raise _Refused(f"it cannot be read ({problem.strerror})") from None
    tail = data[-(22 + (1 << 16)) :]
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise _Refused("it is no zip file")
    if _ZIP64 in tail or int.from_bytes(tail[at + 12 : at + 16], "little") > MOST_DIRECTORY_BYTES:
        raise _Refused("its list of files is longer than any of ours")
    return data


def _entries(path: Path) -> dict[str, bytes]:
    """Unpack in memory, an entry at a time, no further than each may be."""
    found: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_FILES + 1:
                raise _Refused(f"it holds more than {MOST_FILES} files")
            for entry in entries:
                _look(entry)
                if entry.filename in found:
                    raise _Refused(f"{shown(entry.filename, 80)} is in it twice")
                most = min(left, MOST_FILE_BYTES)
                with archive.open(entry) as file:
                    data = file.read(most + 1)
                if len(data) > most:
                    raise _Refused(f"{shown(entry.filename, 80)} unpacks to more than may be")
                left -= len(data)
                found[entry.filename] = data
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as problem:
        raise _Refused(f"its packing is damaged ({shown(str(problem), 80)})") from None
    except (IndexError, KeyError, OverflowError, UnicodeError) as problem:
        raise _Refused(f"its list of files is damaged ({type(problem).__name__})") from None
    if set(_folders_of(found)) & set(found):
        raise _Refused("a file stands where a folder is needed")
    return found


def _folders_of(names: Mapping[str, bytes]) -> list[str]:
    """Return every folder that the names need."""
    return [name[:i] for name in names for i in (j for j, letter in enumerate(name) if letter == "/")]


def _look(entry: zipfile.ZipInfo) -> None:
    name = shown(entry.filename, 80)
    if not plain_name(entry.filename) or entry.orig_filename != entry.filename:
        raise _Refused(f"the name {name!r} leads elsewhere or has odd characters")
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise _Refused(f"{name} is a link or no plain file")
    if entry.flag_bits & 0x1:
        raise _Refused(f"{name} is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _Refused(f"{name} is packed in a way that ours is not")
    if entry.file_size > MOST_FILE_BYTES:
        raise _Refused(f"{name} unpacks to more than may be")


def _manifest(data: bytes | None) -> DeviceRecord:
    if data is None:
        raise _Refused(f"it has no {MANIFEST}")
    try:
        document = parse_object(data)
        if isinstance(document.get("format"), int) and document["format"] > FORMAT:
            raise _Refused(f"it has the form {document['format']}, and this AKGen reads {FORMAT}")
        return DeviceRecord.model_validate(document)
    except JsonRefused as problem:
        raise _Refused(f"its manifest cannot be read: {problem}") from None
    except ValidationError as problem:
        raise _Refused(f"its manifest is not of the form: {first_fault(problem)}") from None


def _compare(record: DeviceRecord, found: Mapping[str, bytes]) -> None:
    """Hold every file against the manifest."""
    described = {file.path: file for file in record.files}
    if len(described) != len(record.files):
        raise _Refused("its manifest names a file twice")
    for name in sorted(described.keys() ^ found.keys()):
        where = "is not in the manifest" if name in found else "is missing"
        raise _Refused(f"{shown(name, 80)} {where}")
    for name, data in found.items():
        file = described[name]
        if len(data) != file.size_bytes or hashlib.sha256(data).hexdigest() != file.sha256:
            raise _Refused(f"{shown(name, 80)} is not what the manifest says")
