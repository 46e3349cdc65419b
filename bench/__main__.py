"""Run measures and write what they show: `python -m bench [MEASURE…]`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine

from assay.errors import AssayError
from bench import calls, cold, everyday, languages, own, pool, prefix, questions, replies
from bench.machine import describe_machine
from bench.page import BENCHMARKS, MEASUREMENTS, write_section
from bench.peers import measure as peers
from bench.tables import Table

MEASURES: dict[str, Callable[[], Coroutine[None, None, list[Table]]]] = {
    "cold": cold.measure,
    "pool": pool.measure,
    "calls": calls.measure,
    "peers": peers.measure,
    "own": own.measure,
    "languages": languages.measure,
    "replies": replies.measure,
    "prefix": prefix.measure,
    "everyday": everyday.measure,
    "questions": questions.measure,
}
PAGES = {"questions": MEASUREMENTS}
"""Where a measure's figures stand, if not among the benchmarks."""


def main() -> None:
    """Run the measures that are named, or all, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=", ".join(MEASURES))
    names = parser.parse_args().measures or _possible()
    for name in names:
        if name not in MEASURES:
            parser.error(f"there is no measure {name}; there are {', '.join(MEASURES)}")
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            tables = asyncio.run(MEASURES[name]())
        except AssayError as error:
            sys.exit(f"{name} cannot be measured: {error.message}")
        for table in tables:
            print(table.markdown())
        write_section(PAGES.get(name, BENCHMARKS), name, describe_machine(), tables)


def _possible() -> list[str]:
    """All measures but for those whose data set is not here."""
    return [name for name in MEASURES if name != "questions" or questions.are_here()]


if __name__ == "__main__":
    main()
