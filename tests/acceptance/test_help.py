"""What `--help` needs."""

from __future__ import annotations

import subprocess
import sys

HELP = """
import sys
from assay.surfaces.cli.app import app
app(["--help"], standalone_mode=False)
print(sorted({"pydantic", "langgraph", "langchain", "httpx"} & set(sys.modules)), file=sys.stderr)
"""


def test_help_waits_for_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    assert "Ask for code" in done.stdout
    assert done.stderr.strip() == "[]"
