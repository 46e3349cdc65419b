"""The names that languages go by: how a reply, a person or a file name may call them.

How a language is run is the sandbox's business; this table only says what is what.
"""

from __future__ import annotations

import re

from assay.domain.data import Data


class Language(Data):
    """A language's one name, and what else stands for it."""

    name: str
    aliases: tuple[str, ...] = ()
    """Lower case; versions (`python3.11`, `c++17`) need no alias of their own."""
    extensions: tuple[str, ...] = ()
    """With the dot, lower case; the first one is the usual one."""
    stem: str = "solution"
    """What a lone file is called, before its extension."""
    is_program: bool = True
    """False for data and markup, which come beside a program and are seldom run."""

    @property
    def default_file(self) -> str:
        """The name of a lone file that the model gave none."""
        return self.stem + (self.extensions[0] if self.extensions else "")


def _data(name: str, aliases: tuple[str, ...], extensions: tuple[str, ...]) -> Language:
    return Language(name=name, aliases=aliases, extensions=extensions, is_program=False)


LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        aliases=("py", "pyi", "python-repl", "pycon", "ipython", "cpython", "pypy", "py3"),
        extensions=(".py", ".pyi", ".pyw"),
    ),
    Language(
        name="javascript",
        aliases=("js", "mjs", "cjs", "jsx", "node", "nodejs", "node.js", "ecmascript", "es6", "es"),
        extensions=(".js", ".mjs", ".cjs", ".jsx"),
    ),
    Language(
        name="typescript",
        aliases=("ts", "tsx", "mts", "cts"),
        extensions=(".ts", ".tsx", ".mts", ".cts"),
    ),
    Language(
        name="bash",
        aliases=(
            "sh",
            "shell",
            "zsh",
            "ksh",
            "shellscript",
            "console",
            "shell-session",
            "terminal",
        ),
        extensions=(".sh", ".bash", ".zsh"),
    ),
    Language(name="go", aliases=("golang",), extensions=(".go",), stem="main"),
    Language(name="rust", aliases=("rs",), extensions=(".rs",), stem="main"),
    Language(name="java", extensions=(".java",), stem="Main"),
    Language(name="c", aliases=("ansi-c",), extensions=(".c", ".h")),
    Language(
        name="cpp",
        aliases=("c++", "cxx", "cc", "cplusplus"),
        extensions=(".cpp", ".cc", ".cxx", ".hpp", ".hh"),
    ),
    Language(name="csharp", aliases=("cs", "c#", "c-sharp"), extensions=(".cs",), stem="Program"),
    Language(name="fsharp", aliases=("fs", "f#"), extensions=(".fs", ".fsx")),
    Language(name="ruby", aliases=("rb",), extensions=(".rb",)),
    Language(name="php", extensions=(".php",)),
    Language(name="perl", aliases=("pl",), extensions=(".pl", ".pm")),
    Language(name="lua", extensions=(".lua",)),
    Language(name="r", aliases=("rscript", "rlang"), extensions=(".r",)),
    Language(name="julia", aliases=("jl",), extensions=(".jl",)),
    Language(name="kotlin", aliases=("kt", "kts"), extensions=(".kt", ".kts"), stem="Main"),
    Language(name="swift", extensions=(".swift",), stem="main"),
    Language(name="scala", extensions=(".scala", ".sc"), stem="Main"),
    Language(name="haskell", aliases=("hs",), extensions=(".hs",), stem="Main"),
    Language(name="elixir", aliases=("ex", "exs"), extensions=(".exs", ".ex")),
    Language(name="erlang", aliases=("erl",), extensions=(".erl",)),
    Language(name="ocaml", aliases=("ml",), extensions=(".ml",)),
    Language(name="clojure", aliases=("clj",), extensions=(".clj",)),
    Language(name="dart", extensions=(".dart",), stem="main"),
    Language(name="zig", extensions=(".zig",), stem="main"),
    Language(
        name="powershell", aliases=("ps1", "pwsh", "posh", "ps"), extensions=(".ps1", ".psm1")
    ),
    _data("sql", ("sqlite", "postgresql", "postgres", "mysql", "plpgsql", "tsql"), (".sql",)),
    _data("html", ("htm", "xhtml", "vue", "svelte"), (".html", ".htm", ".vue", ".svelte")),
    _data("css", ("scss", "sass", "less"), (".css", ".scss", ".sass", ".less")),
    _data("json", ("jsonc", "json5", "jsonl", "ndjson"), (".json", ".jsonl", ".jsonc", ".json5")),
    _data("yaml", ("yml",), (".yaml", ".yml")),
    _data("toml", (), (".toml",)),
    _data("ini", ("cfg", "conf", "dotenv", "env", "properties"), (".ini", ".cfg", ".conf", ".env")),
    _data("xml", ("svg", "xsd"), (".xml", ".svg")),
    _data("csv", ("tsv",), (".csv", ".tsv")),
    _data("markdown", ("md", "mdx", "rst"), (".md", ".mdx", ".rst")),
    _data("diff", ("patch",), (".diff", ".patch")),
    _data("dockerfile", ("docker", "containerfile"), (".dockerfile",)),
    _data("makefile", ("make", "mk"), (".mk",)),
    _data(
        "text",
        ("txt", "plain", "plaintext", "text/plain", "output", "log", "none", "stdout"),
        (".txt", ".log"),
    ),
)

_BY_NAME = {name: entry for entry in LANGUAGES for name in (entry.name, *entry.aliases)}
_BY_EXTENSION = {extension: entry for entry in LANGUAGES for extension in entry.extensions}
_BY_FILE = {"dockerfile": _BY_NAME["dockerfile"], "makefile": _BY_NAME["makefile"]}
_VERSION = re.compile(r"[\s_-]*v?[0-9][0-9.x]*$")
_LONGEST_NAME = 40


def add_language(language: Language) -> None:
    """Let this process know another language, or one of these by other names."""
    for name in (language.name, *language.aliases):
        _BY_NAME[name.lower()] = language
    for extension in language.extensions:
        _BY_EXTENSION[extension.lower()] = language


def find_language(name: str) -> Language | None:
    """The language that `name` stands for in any case, with or without a version.

    None where it is unknown: `Python 3.11` is Python, `brainfuck` nothing.
    """
    wanted = name.strip().lower()
    if len(wanted) > _LONGEST_NAME:
        return None
    return _BY_NAME.get(wanted) or _BY_NAME.get(_VERSION.sub("", wanted))


def language_of_path(path: str) -> Language | None:
    """The language that a file's name speaks of; None where it does not."""
    file = path.rsplit("/", 1)[-1].lower()
    _, dot, extension = file.rpartition(".")
    return _BY_FILE.get(file) or (_BY_EXTENSION.get(dot + extension) if dot else None)
