"""Whether a solution would talk to a service: then no run has shown that it can."""

from __future__ import annotations

import re

from assay.domain.solution import Solution

_NETWORK = re.compile(
    r"^\s*(?:import|from)\s+(?:requests|httpx2?|aiohttp|websockets?|urllib\.request|urllib3|http\.client"
    r"|socketio|grpc|boto3|paramiko)\b|\b(?:fetch|axios|WebSocket|XMLHttpRequest)\b|\bcurl\s",
    re.MULTILINE,
)
_ADDRESS = re.compile(r"\b(?:https?|wss?)://([\w.-]+)")
_HERE = re.compile(
    r"localhost|127\.|0\.0\.0\.0|\[?::1|.*\.(?:local|test|invalid|localhost|example)$"
)


def reaches_out(solution: Solution) -> bool:
    """Whether the code has the address of another machine, and something that goes there."""
    texts = [file.source for file in solution.files]
    hosts = (found[1] for text in texts for found in _ADDRESS.finditer(text))
    away = any(not _HERE.match(host) for host in hosts)
    return away and any(_NETWORK.search(text) for text in texts)
