"""Which of a reply's blocks are the program, and which only install, show or call it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.domain.languages import find_language, language_of_path
from assay.models.replies.guessing import guess_language
from assay.models.replies.markdown import Block
from assay.models.replies.naming import name_before, name_inside, same_family
from assay.models.replies.python import Parser
from assay.models.replies.repair import INSTALLING, is_transcript, repair, without_prompts

_USAGE = re.compile(
    r"\b(?:usage|example|examples|use it|use this|call it|run it|try it|test it|how to (?:use|call)"
    r"|called like|used like|for instance|sample|test (?:it|this|with|the))\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"\b(?:output|outputs|prints|result|results|returns|displays|looks like this)\b", re.IGNORECASE
)
_RUNNING = re.compile(
    r"[\s$>%]*(?:#.*|cd .*|mkdir .*|chmod .*|\./\S+.*|(?:python[\d.]*|py|node|bash|sh|ts-node|tsx"
    r"|deno run|go run|cargo run|ruby|php|java|pytest|npm (?:run|start|test)|npx|touch|ls|git)"
    r"\b.*)?"
)
_PROMPTED = re.compile(r"^[ \t]*\$ (.*)", re.MULTILINE)
_NEW_FILE = re.compile(r"--- /dev/null\n\+\+\+ (?:b/)?(\S+).*\n@@.*@@.*\n((?:\+.*\n)*\+.*)")
_CALLING = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom, ast.Assert, ast.For)


@dataclass(frozen=True)
class Candidate:
    """A block of which language and path are known as far as they can be."""

    code: str
    language: str | None
    path: str | None
    block: Block
    labelled: bool
    """Whether the block itself says its language."""


@dataclass(frozen=True)
class Choice:
    """The blocks of the program, in order, and calls of it that were shown beside."""

    language: str | None
    chosen: tuple[Candidate, ...] = ()
    usage: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    """The languages of blocks that were there, but not in the language asked for."""


def choose(blocks: Sequence[Block], wanted: str | None, parser: Parser) -> Choice:
    """Choose among `blocks`; `wanted` is the language of the task, if it has one."""
    candidates = [
        _candidate(block, wanted, parser) for block in blocks if not _installs(block, wanted)
    ]
    if any(candidate.path for candidate in candidates):
        return _choose_files(candidates, wanted, parser)
    language = _main_language(candidates, wanted)
    if language is None:
        names = dict.fromkeys(candidate.language or "text" for candidate in candidates)
        return Choice(None, rejected=tuple(names))
    own = [c for c in candidates if c.language is not None and same_family(c.language, language)]
    if any(candidate.labelled for candidate in own):
        own = [candidate for candidate in own if candidate.labelled]
    if language == "html":
        own += _companions(own[0].code, candidates)
    return _without_usage(language, own, parser)


def _installs(block: Block, wanted: str | None) -> bool:
    """Whether a block only installs packages and is not what was asked for."""
    if wanted == "bash" and block.info.language == "bash":
        return False
    lines = [line for line in block.code.split("\n") if line.strip()]
    return not lines or (
        any(INSTALLING.fullmatch(line) for line in lines)
        and all(INSTALLING.fullmatch(line) or _RUNNING.fullmatch(line) for line in lines)
    )


def _candidate(block: Block, wanted: str | None, parser: Parser) -> Candidate:
    info = block.info
    if info.language == "diff" and wanted != "diff":
        return _candidate_of_diff(block)
    language = info.language or (info.label if info.label and info.label == wanted else None)
    labelled = language is not None and language != "text"
    path = info.path or name_before(block.before, language if labelled else None)
    if not path:
        path = name_inside(block.code, language if labelled else None)
    if not labelled:
        language = _unlabelled_language(block, path, wanted, parser)
    code = block.code
    if language == "bash" and (commands := _PROMPTED.findall(code)):
        code = "\n".join(commands)
    return Candidate(code, language, path, block, labelled)


def _candidate_of_diff(block: Block) -> Candidate:
    """The file that a difference adds as a whole; no program where it changes one."""
    added = _NEW_FILE.fullmatch(block.code.strip("\n"))
    if not added:
        return Candidate(block.code, "text", None, block, labelled=False)
    by_path = language_of_path(added[1])
    code = re.sub(r"^\+", "", added[2], flags=re.MULTILINE)
    return Candidate(code, by_path.name if by_path else "text", added[1], block, labelled=True)


def _unlabelled_language(
    block: Block, path: str | None, wanted: str | None, parser: Parser
) -> str | None:
    by_path = find_language(path.rpartition(".")[2]) if path else None
    if by_path:
        return by_path.name
    lead = block.before.strip().rpartition("\n")[2]
    if block.info.language == "text" or block.info.label or _OUTPUT.search(lead):
        return "python" if is_transcript(block.code) else "text"
    return guess_language(block.code, parser, wanted) or "text"


def _main_language(candidates: Sequence[Candidate], wanted: str | None) -> str | None:
    known = [c for c in candidates if c.language and c.language != "text"]
    if wanted:
        fits = any(same_family(candidate.language or "", wanted) for candidate in known)
        return wanted if fits else None
    sizes: Counter[str] = Counter()
    for candidate in known:
        sizes[candidate.language or ""] += len(candidate.code) + 1

    def weight(language: str) -> tuple[bool, bool, bool, bool, int]:
        entry = find_language(language)
        is_page = language == "html" and any("<html" in c.code[:500].lower() for c in known)
        is_program = entry is None or entry.is_program
        labelled = any(c.labelled for c in known if c.language == language)
        return (is_page or is_program, is_page, labelled, language != "bash", sizes[language])

    return max(sizes, key=weight, default=None)


def _companions(page: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The styles and scripts that were written for a page, under the names it has for them."""
    companions = []
    for language, usual in (("css", "style.css"), ("javascript", "script.js")):
        extension = usual.rpartition(".")[2]
        names = re.findall(rf"(?:href|src)=[\"']([\w./-]+\.{extension})[\"']", page)
        own = [c for c in candidates if c.labelled and c.language == language]
        companions += [replace(c, path=names[0] if names else usual) for c in own]
    return companions


def _choose_files(candidates: Sequence[Candidate], wanted: str | None, parser: Parser) -> Choice:
    """Every named block is a file; one without a name goes on with the file before it.

    It is a program of its own where there is no such file, or where it imports one.
    """
    language = _main_language(candidates, wanted)
    if wanted and language is None:
        names = dict.fromkeys(candidate.language or "text" for candidate in candidates)
        return Choice(None, rejected=tuple(names))
    chosen: list[Candidate] = []
    for candidate in candidates:
        if candidate.path:
            chosen.append(candidate)
        elif language and candidate.labelled and same_family(candidate.language or "", language):
            before = [c for c in chosen if c.path and c.language == candidate.language]
            continues = before and not _imports_one(candidate.code, before)
            chosen.append(replace(candidate, path=before[-1].path) if continues else candidate)
    return _without_usage(language, chosen, parser)


def _imports_one(code: str, files: Sequence[Candidate]) -> bool:
    modules = {(file.path or "").rpartition("/")[2].partition(".")[0] for file in files}
    imported = re.findall(r"^[ \t]*(?:from|import|use|require)\b[ \t(]*(.*)", code, re.MULTILINE)
    return any(module in re.findall(r"\w+", line) for line in imported for module in modules)


def _without_usage(language: str | None, candidates: Sequence[Candidate], parser: Parser) -> Choice:
    """Take out transcripts, and blocks that only show how the program is called or run."""
    kept: list[Candidate] = []
    usage: list[str] = []
    for candidate in candidates:
        if candidate.block.info.path or len(candidates) == 1:
            kept.append(candidate)
            continue
        lead = candidate.block.before.strip().rpartition("\n")[2]
        if is_transcript(candidate.code) or (kept and _only_runs(candidate)):
            continue
        if kept and _USAGE.search(lead) and _only_calls(candidate.code, parser):
            usage.append(candidate.code)
        else:
            kept.append(candidate)
    return Choice(language, tuple(kept or candidates), tuple(usage))


def _only_runs(candidate: Candidate) -> bool:
    return candidate.language == "bash" and all(
        _RUNNING.fullmatch(line) for line in candidate.code.split("\n")
    )


def _only_calls(code: str, parser: Parser) -> bool:
    tree = parser.parse(repair(code, parser))
    return tree is not None and all(isinstance(node, _CALLING) for node in tree.body)


def program_text(candidate: Candidate, parser: Parser) -> str:
    """A block's code, repaired where it is Python."""
    if candidate.language != "python":
        return candidate.code
    code = candidate.code
    return repair(without_prompts(code) if is_transcript(code) else code, parser)
