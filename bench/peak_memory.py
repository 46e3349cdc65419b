"""The command `assay` with any arguments, and at its end its peak memory: run by `bench.own`.

`python -m bench.peak_memory FILE ARGUMENT…` writes the peak of the resident memory of this
process alone, in bytes, into FILE.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.surfaces.cli import main as run_assay
from bench.memory import peak_bytes


def main() -> None:
    """Run the command, then write the peak."""
    file = Path(sys.argv[1])
    del sys.argv[1]
    try:
        run_assay()
    finally:
        file.write_text(str(peak_bytes()), "utf-8")


if __name__ == "__main__":
    main()
