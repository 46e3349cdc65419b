"""From a reply's text to a solution."""

from __future__ import annotations

import re

from assay.domain.choices import AnswerKind
from assay.domain.languages import find_language, language_of_path
from assay.domain.message import Reply
from assay.domain.solution import Solution, SolutionFile
from assay.errors import NoCode, TruncatedReply
from assay.models.replies.choosing import Candidate, Choice, choose, program_text
from assay.models.replies.cutting import check_end, check_promises
from assay.models.replies.guessing import find_bare_code, guess_language
from assay.models.replies.markdown import Block, Document, read_document
from assay.models.replies.merging import Part, merge
from assay.models.replies.naming import name_before
from assay.models.replies.paths import check_count, check_together, safe_path
from assay.models.replies.python import (
    Parser,
    join_programs,
    module_names_as_imports,
    split_imports,
)
from assay.models.replies.repair import repair
from assay.models.replies.structured import Structured, find_object, read_object
from assay.models.replies.text import clean
from assay.models.replies.thoughts import without_thoughts

_ES_MODULE = re.compile(r"^[ \t]*(?:import\b[^(]|export\b|await\b)", re.MULTILINE)
_PUBLIC_CLASS = re.compile(r"^public (?:final |abstract )*(?:class|record) (\w+)", re.MULTILINE)
_MOST_WRAPPINGS = 3
_MOST_OBJECTS = 20
_WORDS_OF_A_NAME = 3


def read_reply(
    reply: Reply, *, language: str | None = None, answer: AnswerKind = "auto"
) -> Solution:
    """Take a solution out of a model's reply: from JSON, blocks of code, or bare code.

    Args:
        reply: what the model said; a `finish_reason` of `stop` says that its end is there.
        language: what the task asks for, under any of its names; None: what the reply holds.
        answer: `prose` takes the whole text, without thoughts, for the answer. The others need
            code: where `auto` allows prose, a caller reads again with `prose` after NoCode.

    Raises:
        NoCode: there is no code, or none in `language`.
        TruncatedReply: it was cut before its end.
        UnsafePath: it names a file outside the working folder, or one that cannot be.
        ReplyError: it holds too many files.
    """
    known = find_language(language) if language else None
    wanted = known.name if known else (language.strip().lower() or None) if language else None
    return _Reader(reply, wanted).read(answer)


class _Reader:
    """Reads one reply. Holds what its parts share: the end, the language and the parser."""

    def __init__(self, reply: Reply, wanted: str | None) -> None:
        self._speech = without_thoughts(clean(reply.text))
        self._finish = reply.finish_reason
        self._wanted = wanted
        self._parser = Parser()

    def read(self, answer: AnswerKind) -> Solution:
        if self._speech.thought_open and self._finish == "length":
            raise TruncatedReply(
                "The reply was cut while it was still thinking. Think less, and answer."
            )
        text = self._speech.text
        if answer == "prose":
            if not text.strip():
                raise NoCode("The reply is empty. Answer the question in words.")
            start = find_object(text)
            found = read_object(text[start:]) if start is not None else None
            return Solution(prefix=(found.prefix if found else "").strip() or text.strip())
        document = read_document(text)
        return self._read_object(text, document) or self._read_document(document, 0)

    def _read_object(self, text: str, document: Document) -> Solution | None:
        """The solution of a reply that is an object, or has one in its prose or in a block."""
        found, before = _find_structured(text, document)
        if found is None:
            return None
        if not any(file.code.strip() for file in found.files):
            raise NoCode(
                "The object has no program: its field `code` is missing, empty or not text."
                " Put the program's text there."
            )
        return self._from_object(found, before)

    def _from_object(self, found: Structured, before: str) -> Solution:
        check_count(len(found.files))
        said = find_language(found.language or "")
        language = self._wanted or (said.name if said else None)
        files: list[SolutionFile] = []
        for file in found.files:
            path = safe_path(file.path) if file.path else None
            by_path = language_of_path(path) if path else None
            imports, code = self._inner(file.imports), self._inner(file.code)
            own = by_path.name if by_path else language or guess_language(code, self._parser)
            own = own or "python"
            if own == "python":
                imports = module_names_as_imports(imports, self._parser)
                code = repair(code, self._parser, from_json=True)
            check_end(
                f"{imports}\n{code}", own, self._finish, closed=found.whole, parser=self._parser
            )
            if own == "python":
                code = join_programs(imports, code, self._parser)
            elif imports.strip():
                code = f"{imports}\n\n{code}"
            if language is None or not (self._wanted or _is_program_language(language)):
                language = own
            files.append(self._file(path or default_file(own, code), own, code))
        prefix = found.prefix.strip() or before.strip()
        return self._solution(prefix, language, files)

    def _inner(self, code: str) -> str:
        """Code without the fence that a model put inside a field."""
        if "```" not in code and "~~~" not in code:
            return code.strip("\n")
        document = read_document(code)
        if len(document.blocks) != 1 or self._parser.parses(code):
            return code.strip("\n")
        inner = document.blocks[0].code
        return inner if not document.prose or self._parser.parses(inner) else code.strip("\n")

    def _read_document(self, document: Document, wrappings: int) -> Solution:
        choice = choose(document.blocks, self._wanted, self._parser)
        if not choice.chosen:
            return self._read_rest(document, choice, wrappings)
        if wrappings < _MOST_WRAPPINGS and choice.language == "markdown":
            inner = read_document(choice.chosen[0].code)
            if inner.blocks and self._wanted is None:
                return self._read_document(inner, wrappings + 1)
        prefix = _prefix(choice.chosen[0], document)
        groups: dict[str, list[Candidate]] = {}
        for candidate in choice.chosen:
            groups.setdefault(safe_path(candidate.path) if candidate.path else "", []).append(
                candidate
            )
        files = [self._merged(path, group, choice) for path, group in groups.items()]
        check_promises(document.prose, [file.path for file in files], document.after, self._finish)
        return self._solution(prefix, choice.language, files, "\n\n".join(choice.usage))

    def _merged(self, path: str, group: list[Candidate], choice: Choice) -> SolutionFile:
        language = choice.language if not path else group[0].language
        parts = [
            Part(program_text(c, self._parser), c.block.before.strip().rpartition("\n")[2])
            for c in group
        ]
        for candidate, part in zip(group, parts, strict=True):
            check_end(
                part.code,
                language,
                self._finish,
                closed=candidate.block.closed,
                parser=self._parser,
            )
        code = merge(parts, language, self._parser)
        return self._file(path or default_file(language, code), language, code)

    def _read_rest(self, document: Document, choice: Choice, wrappings: int) -> Solution:
        """A reply whose blocks hold no program: a wrapped one, bare code, or none."""
        if wrappings < _MOST_WRAPPINGS:
            for block in document.blocks:
                inner = read_document(block.code) if block.info.language == "markdown" else None
                if inner and inner.blocks:
                    return self._read_document(inner, wrappings + 1)
        bare = None
        if not document.blocks:
            bare = find_bare_code(document.after, self._wanted, self._parser)
        if bare:
            prefix, language, code = bare
            check_end(code, language, self._finish, closed=False, parser=self._parser)
            file = self._file(default_file(language, code), language, code)
            return self._solution(prefix.strip(), language, [file])
        asked = f" in {self._wanted}" if self._wanted else ""
        if self._wanted and choice.rejected:
            held = ", ".join(choice.rejected)
            raise NoCode(f"The reply holds {held}, and no code{asked}. Answer{asked}.")
        if any(block.info.language == "diff" for block in document.blocks):
            raise NoCode("The reply holds a difference only. Answer with the whole program.")
        raise NoCode(f"There is no code in the reply. Put the whole program{asked} in one fence.")

    def _file(self, path: str, language: str | None, code: str) -> SolutionFile:
        if language != "python":
            return SolutionFile(path=path, code=code.strip("\n"))
        imports, rest = split_imports(code, self._parser)
        return SolutionFile(path=path, imports=imports, code=rest)

    @staticmethod
    def _solution(
        prefix: str, language: str | None, files: list[SolutionFile], usage: str = ""
    ) -> Solution:
        check_together([file.path for file in files])
        return Solution(prefix=prefix, language=language, files=tuple(files), set_apart=usage)


def _find_structured(text: str, document: Document) -> tuple[Structured | None, str]:
    """The object that holds the solution, and the prose before it.

    Beside a program it is only one that the reply begins with: others are the program's data.
    """
    blocks = document.blocks
    has_program = any(_is_program(block) and find_object(block.code) != 0 for block in blocks)
    start = find_object(text)
    if (
        start is not None
        and start <= len(blocks[0].before if blocks else text)
        and not (has_program and text[:start].strip())
        and (found := read_object(text[start:]))
    ):
        return found, text[:start]
    for block in blocks[:_MOST_OBJECTS] if not has_program else ():
        if find_object(block.code) == 0 and (found := read_object(block.code)):
            return found, block.before
    return None, ""


def _is_program(block: Block) -> bool:
    return block.info.language is not None and _is_program_language(block.info.language)


def _is_program_language(name: str) -> bool:
    """Whether programs are written in the language; an unknown one counts as such."""
    known = find_language(name)
    return known is None or known.is_program


def _prefix(first: Candidate, document: Document) -> str:
    """The prose before the program, without the line that names its file; else what follows."""
    before = first.block.before.strip()
    if first.path and name_before(before, first.language) == first.path:
        text, _, line = before.rpartition("\n")
        before = text.strip() if len(line.split()) <= _WORDS_OF_A_NAME else before
    return before or document.after.strip()


def default_file(language: str | None, code: str) -> str:
    """The name for a program that has none; some languages take it from the code."""
    if language == "javascript" and _ES_MODULE.search(code):
        return "solution.mjs"
    public = _PUBLIC_CLASS.search(code) if language == "java" else None
    if public:
        return f"{public[1]}.java"
    known = find_language(language or "")
    return known.default_file if known else "solution.txt"
