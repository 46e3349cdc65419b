"""What calls have beside arguments and results: output, warnings, seeds, files, memory."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.checks.drivers.assay_link.decoding import BadWire
from assay.checks.drivers.assay_link.errors import TooManyFiles
from assay.checks.drivers.assay_link.folders import MAX_FILES, Folders
from assay.checks.drivers.assay_link.output import MAX_KEPT
from assay.checks.drivers.assay_link.remote import Remote

Link = Callable[[str], Remote]
Judge = Callable[[str, str], Remote]


def test_what_is_printed_comes_with_the_answer(
    judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import sys\ndef f():\n    print('out')\n    print('err', file=sys.stderr)"
    judge(code + "\n    sys.stdout.buffer.write(b'\\xff')", "f()")
    captured = capsys.readouterr()
    assert captured.out == "out\n\\xff"
    assert captured.err == "err\n"


def test_a_flood_of_output_is_dropped_with_a_mark(
    judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    judge("def f():\n    for _ in range(3000): print('x' * 1023)", "f()")
    captured = capsys.readouterr()
    assert len(captured.out) < MAX_KEPT + 100
    assert "more was printed" in captured.out


def test_a_warning_meets_the_tests_filters(judge: Judge) -> None:
    code = "import warnings\ndef f():\n    warnings.warn('old', DeprecationWarning)\n    return 3"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        judge(code, "assert f() == 3")
    assert [(one.category, str(one.message)) for one in caught] == [(DeprecationWarning, "old")]
    with pytest.raises(DeprecationWarning, match="old"):
        judge(code, "f()")  # our own filters make errors of warnings


def test_a_seed_holds_for_the_solution(judge: Judge) -> None:
    state = random.getstate()
    wanted = random.Random(5).random()
    judge("import random\ndef f(): return random.random()", f"""
import random
random.seed(5)
assert f() == {wanted!r}
state = random.Random(5).getstate()
random.setstate(state)
assert f() == {wanted!r}
""")  # fmt: skip
    random.setstate(state)
    assert "assay" not in random.seed.__module__  # all is as it was before


def test_objects_are_let_go(judge: Judge) -> None:
    code = (
        "import weakref\nalive = weakref.WeakSet()\nclass P:\n"
        "    def __init__(self): alive.add(self)\n    def me(self): return self\n"
        "def count(): return len(alive)\ndef call(f): return f()"
    )
    judge(code, """
for _ in range(500):
    P().me()
    call(lambda: [P()])
assert count() < 20, count()
""")  # fmt: skip


def test_a_container_that_is_too_large_can_be_asked(judge: Judge) -> None:
    judge("def f(n): return list(range(n))", """
x = f(2_000_000)
assert len(x) == 2_000_000 and x[5] == 5 and isinstance(x, list)
assert not x == [1]
assert "too large" in repr(x)
""")  # fmt: skip


def test_a_nest_that_is_too_deep_can_be_asked(judge: Judge) -> None:
    code = "def nest(n):\n    x = []\n    for _ in range(n): x = [x]\n    return x\n"
    depth = "def depth(x):\n    n = 0\n    while x:\n        x, n = x[0], n + 1\n    return n\n"
    judge(code + depth.replace("depth", "measure"), depth + """
assert depth(nest(500)) == 500
x = []
for _ in range(500): x = [x]
assert measure(x) == 500
""")  # fmt: skip


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    (tmp_path / "work").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return Folders()


def test_files_that_were_written_are_found_once(folders: Folders, tmp_path: Path) -> None:
    Path("a.txt").write_text("a", "utf-8")
    (tmp_path / "tmp" / "folder").mkdir()
    Path("link").symlink_to("/etc/passwd")
    found = {Path(path).name: content for path, *content in folders.changes()}
    assert found == {"a.txt": ["YQ=="], "folder": [None]}
    assert folders.changes() == []
    Path("a.txt").unlink()
    assert folders.changes() == [[str(tmp_path / "work" / "a.txt")]]


def test_what_came_is_written_and_not_sent_back(folders: Folders, tmp_path: Path) -> None:
    work = tmp_path / "work"
    folders.apply([[str(work / "d"), None], [str(work / "d" / "a"), "YQ=="]])
    assert (work / "d" / "a").read_bytes() == b"a"
    assert folders.changes() == []
    folders.apply([[str(work / "d" / "a")], [str(work / "d")]])
    assert not (work / "d").exists()


@pytest.mark.parametrize("path", ["/etc/x", "{work}/../x", "{work}/link/x", "x", 5, "{work}"])
def test_a_path_that_leads_elsewhere_breaks_the_link(
    folders: Folders, tmp_path: Path, path: object
) -> None:
    (tmp_path / "work" / "link").symlink_to(tmp_path)
    text = path.format(work=tmp_path / "work") if isinstance(path, str) else path
    with pytest.raises(BadWire):
        folders.apply([[text, "YQ=="]])


def test_no_link_is_followed_and_no_code_is_taken(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (tmp_path / "kept").write_text("kept", "utf-8")
    (work / "link").symlink_to(tmp_path / "kept")
    monkeypatch.syspath_prepend(str(work))
    folders.apply([[str(work / "link"), "YQ=="], [str(work / "json.py"), "YQ=="]])
    assert (tmp_path / "kept").read_text("utf-8") == "kept"
    assert not (work / "json.py").exists()


def test_too_many_files_are_refused(folders: Folders, tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        Path(str(number)).touch()
    with pytest.raises(TooManyFiles):
        folders.changes()
    with pytest.raises(BadWire):
        folders.apply([[str(tmp_path / "work" / "x"), "YQ=="]] * (MAX_FILES + 1))
