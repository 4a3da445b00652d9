"""Recognition of a container by the first bytes of a file, not by its name."""

from __future__ import annotations

import re
from pathlib import Path

from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.files import open_file, refuse_other_content
from zslcore.untrusted.readers.variables import CONTAINERS
from zslcore.untrusted.worker import warm_up

#: Containers of arrays, and their usual endings.
ARRAYS = tuple(name for name, container in CONTAINERS.items() if container.ending)
ENDINGS_OF_ARRAYS = ", ".join(CONTAINERS[name].ending for name in ARRAYS)
#: Endings of files that are not texts.
BINARY_ENDINGS = {CONTAINERS[name].ending: name for name in ARRAYS if name != "JSON"}
BINARY_ENDINGS |= {".hdf5": "HDF5", ".pth": "PyTorch"}
#: First bytes of files that are refused, with a description and advice.
NOT_OPENED = (
    (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
        "a PyTorch file of the old format (pickle): not opened; save it again with torch.save, or "
        "write it with np.savez(...)",
    ),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file; save its sheet as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"ARROW1", "an Arrow or Feather file; save the table as Parquet or CSV"),
    (b"SQLite format 3", "an SQLite database; save its table as CSV"),
    (b"RDX", "an R workspace; write its table as CSV"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF", "a PDF"),
)
#: Names of the first member of a zip archive with a spreadsheet of Excel or LibreOffice.
SPREADSHEETS = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/app.xml", b"mimetype")
#: First bytes of pickles: of protocols 2 to 5, and of older protocols, which are text.
PICKLES = (
    *(bytes([0x80, protocol]) for protocol in range(2, 6)),
    *(
        b"(dp",
        b"(lp",
        b"(tp",
        b"(ip",
        b"cposix\n",
        b"cos\n",
        b"cnumpy",
        b"c__builtin__",
        b"ccopy_reg",
    ),
)
#: First bytes of a dictionary in an array of NumPy without dimensions.
DICTIONARY = re.compile(rb"\x93NUMPY..(?:..){1,2}\{'descr': '\|O', .{1,40}'shape': \(\)", re.DOTALL)
#: Control bytes, which do not occur at the start of a text.
CONTROLS = frozenset(range(32)) - set(b"\t\n\r\f\x1b")
#: Number of first bytes in which signatures are searched.
HEAD = 2048 + 16


def container_of(path: Path) -> str:
    """Return the container of a file by its first bytes: one of :data:`ARRAYS`, or "text".

    Raises a FileRefusedError that describes the file if it has another type.
    """
    name = clean_text(path.name)
    with open_file(path) as file:
        head = file.read(HEAD)
    refuse_other_content(path, head)
    if not head:
        raise refusal_of(name, "a file with content", "an empty file")
    for kind, container in CONTAINERS.items():
        signature, offsets = container.signature, container.offsets
        if signature and any(head.startswith(signature, at) for at in offsets):
            if kind == "NumPy array" and DICTIONARY.match(head):
                return "pickle"
            return _kind_of_archive(head, name) if kind == "NumPy archive" else kind
    for signature, what in NOT_OPENED:
        if head.startswith(signature):
            raise refusal_of(name, f"{ENDINGS_OF_ARRAYS} or a text file", what)
    if head[257:262] == b"ustar":
        raise refusal_of(
            name, f"{ENDINGS_OF_ARRAYS} or a text file", "a tar archive; unpack it first"
        )
    if head.startswith(PICKLES):
        return "pickle"
    length = int.from_bytes(head[:8], "little")
    if head[8:9] == b"{" and 2 <= length <= path.stat().st_size - 8:
        return "safetensors"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16
        head = head.decode("utf-16", "ignore").encode()
    if CONTROLS & set(head[:64]):
        raise refusal_of(
            name, f"{ENDINGS_OF_ARRAYS} or a text file", "a binary file of another kind"
        )
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start in (b"{", b"["):
        return "JSON"
    if kind := BINARY_ENDINGS.get(path.suffix.lower(), ""):
        raise refusal_of(name, f"{kind}, as its ending says", "a text file")
    return "text"


def _kind_of_archive(head: bytes, name: str) -> str:
    """Distinguish the zip archives of PyTorch and NumPy by the name of the first member.

    Raises a FileRefusedError for a spreadsheet or another archive.
    """
    member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if member.endswith((b"/data.pkl", b"/.format_version", b"/byteorder")):
        return "PyTorch"
    if member.endswith(b".npy"):
        return "NumPy archive"
    got = f"a zip archive with {clean_text(member.decode('utf-8', 'replace'), 60)}; unpack it first"
    if member in SPREADSHEETS:
        got = "a spreadsheet; save its sheet as CSV"
    raise refusal_of(name, f"{ENDINGS_OF_ARRAYS} or a text file", got)


def require_container(path: Path, allowed: tuple[str, ...]) -> str:
    """Return the container of a file, which must be in ``allowed``; preload its reader."""
    kind = container_of(path)
    if kind in allowed:
        warm_up(*CONTAINERS[kind].libraries)
        return kind
    expected = ENDINGS_OF_ARRAYS if allowed == ARRAYS else " or ".join(allowed)
    got = CONTAINERS[kind].words
    raise refusal_of(path, expected, got)
