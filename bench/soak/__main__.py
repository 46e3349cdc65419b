"""Run programs for a while and write what they left into docs/benchmarks.md: `make soak`."""

from __future__ import annotations

import argparse
import sys

from bench.machine import describe_machine
from bench.page import BENCHMARKS, write_section
from bench.soak.watching import ROUND_SECONDS, soak


def main() -> None:
    """Soak, print what it showed, and say by the exit status whether all was well.

    Ctrl-C and SIGTERM end it early: it shows what it has seen up to then, with the status 130.
    """
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--no-page", action="store_true", help="print the figures only")
    given = parser.parse_args()
    shown = soak(given.seconds, min(ROUND_SECONDS, given.seconds / 12), given.seed)
    for table in shown.tables():
        print(table.markdown())
    for wrong in shown.wrongs:
        print(wrong, file=sys.stderr)
    if not given.no_page:
        write_section(BENCHMARKS, "soak", describe_machine(), shown.tables())
    sys.exit(1 if shown.wrongs else 130 if shown.is_stopped else 0)


if __name__ == "__main__":
    main()
