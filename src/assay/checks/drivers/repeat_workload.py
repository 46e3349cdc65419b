"""Inside the sandbox: runs a workload on the solution again and again; it is measured from outside.

What to run comes on stdin: the solution's module, the workload's source, and how many times.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

plan = json.loads(sys.stdin.read())
sys.path[0] = os.getcwd()
names = dict(vars(importlib.import_module(plan["module"])))
code = compile(plan["workload"], "workload", "exec", dont_inherit=True)
for _ in range(plan["times"]):
    exec(code, names)  # noqa: S102 (what this file is for)
