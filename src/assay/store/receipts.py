"""Receipts as files: readable JSON, written whole or not at all, read with suspicion."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay import files
from assay.domain.data import say_problem
from assay.domain.limits import MIB
from assay.domain.receipt import RECEIPT_VERSION, Receipt
from assay.domain.solution import Solution
from assay.domain.task import Attachment, TestFile
from assay.errors import ReceiptError
from assay.store.faults import store_error
from assay.store.json_text import to_json

SIZE_LIMIT = 128 * MIB
"""Bytes that a receipt's file may have: attachments of 64 MiB, grown by a third as base 64, and
room for what programs printed."""

_RECEIPT = TypeAdapter(Receipt)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def write_receipt(receipt: Receipt, folder: Path) -> Path:
    """Write `receipt` into `folder` as `SESSION.json` that only its owner can read.

    One that says the same already, but for when, is left as it is.

    Raises:
        StoreError: it cannot be written; nothing is left, and an earlier one is as it was.
        ReceiptError: its session is not one of Assay's ids.
    """
    content = (to_json(_RECEIPT, receipt, indent=2) + "\n").encode()
    name = receipt.session
    # Receipts can come from anywhere, and this one's name becomes a path.
    if not _PLAIN_NAME.fullmatch(name):
        raise ReceiptError(f"The session {name!r} cannot name a file. Take the original receipt.")
    path = folder / f"{name}.json"
    if _says_the_same(path, receipt):
        return path
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace_file(path, content)
    except OSError as error:
        raise store_error(path, error) from error
    return path


def read_receipt(path: Path) -> Receipt:
    """Read a receipt. Whether its files are still those of its hashes, `changed_files` says.

    Raises:
        ReceiptError: it cannot be read as a receipt of this version; the message says why.
    """
    text = _read_text(path)
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as error:
        body = text.strip()
        if body.startswith("{") and (not body.endswith("}") or error.pos >= len(body)):
            raise ReceiptError(f"{path} ends in the middle. Copy the whole file again.") from error
        raise ReceiptError(
            f"{path} is not a receipt: line {error.lineno} is not JSON. `assay sessions` lists "
            "the sessions, and `assay show` names their receipts."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"{path} is not a receipt: no receipt is nested so deeply.") from error
    _check_version(path, plain)
    try:
        return _RECEIPT.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise ReceiptError(
            f"{path} is not as Assay wrote it: {place}: {say_problem(first)}. "
            "Take the original again."
        ) from error


def hashes_of(
    solution: Solution,
    tests: Iterable[TestFile],
    attachments: Iterable[Attachment],
    generated: Iterable[TestFile] = (),
) -> dict[str, str]:
    """Give the SHA-256 of each file, by a name such as `solution/PATH` (see `Receipt.hashes`)."""
    return {
        **{f"solution/{file.path}": file.sha256 for file in solution.files},
        **{f"tests/{test.name}": test.sha256 for test in tests},
        **{f"generated_tests/{test.name}": test.sha256 for test in generated},
        **{f"attachments/{a.name}": hashlib.sha256(a.content).hexdigest() for a in attachments},
    }


def changed_files(receipt: Receipt) -> tuple[str, ...]:
    """Name the files that were changed, added or taken away since the receipt was written.

    Who changes a file and its hash is not found out so: that is what running it again is for.
    """
    now = hashes_of(receipt.solution, receipt.tests, receipt.attachments, receipt.generated_tests)
    names = now.keys() | receipt.hashes.keys()
    return tuple(sorted(name for name in names if now.get(name) != receipt.hashes.get(name)))


def _says_the_same(path: Path, receipt: Receipt) -> bool:
    try:
        written = read_receipt(path)
    except ReceiptError:
        return False
    return written.model_copy(update={"created": receipt.created}) == receipt


def _read_text(path: Path) -> str:
    try:
        content = files.read_regular_file(path, SIZE_LIMIT)
    except files.UnreadableFile as error:
        raise ReceiptError(
            f"{path} {error}. Name a receipt's file: `assay show` says where it is."
        ) from error
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ReceiptError(f"{path} is not a receipt: it is not UTF-8 text.") from error


def _check_version(path: Path, plain: Any) -> None:
    version = plain.get("version") if isinstance(plain, dict) else None
    if not isinstance(version, int):
        raise ReceiptError(f"{path} is not a receipt: it has no version. Name a receipt's file.")
    if version > RECEIPT_VERSION:
        raise ReceiptError(
            f"{path} was written by a newer Assay (receipt version {version}, this one knows "
            f"{RECEIPT_VERSION}). Update Assay."
        )
