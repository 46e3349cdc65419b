"""Files of the user's that lie beside the solution when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.context.boundary import enclose
from assay.context.skipped import Skipped, Unreadable, printable
from assay.domain.limits import MIB
from assay.domain.task import Attachment
from assay.files import UnreadableFile, read_regular_file
from assay.tokens import count_tokens

FILE_LIMIT = 16 * MIB
TOTAL_LIMIT = 64 * MIB


def read_attachments(
    paths: Sequence[Path],
) -> tuple[tuple[Attachment, ...], tuple[Skipped, ...]]:
    """Read files, each under its own name; what cannot be read is named and left out.

    A file may have `FILE_LIMIT` bytes, all together `TOTAL_LIMIT`. The same file given twice is
    read once.
    """
    read: dict[str, tuple[Path, Attachment]] = {}
    skipped: list[Skipped] = []
    left = TOTAL_LIMIT
    for path in paths:
        name = path.name
        earlier = read.get(name)
        try:
            if earlier is not None and _same_file(path, earlier[0]):
                continue
            _require_usable_name(name)
            content = read_regular_file(path, FILE_LIMIT)
            if earlier is not None:
                raise Unreadable(f"has the same name as {earlier[0]}: rename one of them")
            if len(content) > left:
                total = TOTAL_LIMIT // MIB
                raise Unreadable(f"would make the attachments larger than {total} MiB together")
        except (Unreadable, UnreadableFile) as error:
            skipped.append(Skipped(printable(str(path)), str(error)))
            continue
        left -= len(content)
        read[name] = (path, Attachment(name=name, content=content))
    return tuple(attachment for _, attachment in read.values()), tuple(skipped)


def attachment_text(attachment: Attachment, budget: int) -> str:
    """Describe an attachment for a prompt: its text where it has one, marked as data.

    Args:
        attachment: A file of the user's.
        budget: The most tokens of its text to show; the rest is cut off, and the text says so.
    """
    header = f"File `{attachment.name}` ({len(attachment.content):,} bytes), in the working folder"
    text = attachment.text
    if text is None:
        return f"{header}. It is not text."
    shown = _head(text, budget)
    if len(shown) < len(text):
        header += f"; its first {len(shown):,} of {len(text):,} characters"
    return f"{header}:\n{enclose('attachment', shown)}"


def _head(text: str, budget: int) -> str:
    """The longest beginning that fits, to some percent, cut at the end of a line."""
    # A token is never less than a byte, so most texts need no counting.
    while len(text.encode()) > budget and (tokens := count_tokens(text)) > budget:
        keep = min(int(len(text) * budget / tokens), len(text) - 1)
        line_end = text.rfind("\n", 0, keep) + 1
        text = text[: line_end or keep]
    return text


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _require_usable_name(name: str) -> None:
    if not name or name == "..":
        raise Unreadable("is a folder")
    if not name.isprintable():
        raise Unreadable("has control characters or undecodable bytes in its name: rename it")
