"""What the abuses aim at: a home with a key and a profile, a key in the environment, a port."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

SECRET = "x" * 4321
PROFILE = "# nothing yet\n"


class Decoys:
    """Made in a folder of their own. They see who came."""

    def __init__(self, folder: Path) -> None:
        """Make them in `folder`."""
        self.home = folder / "home"
        self._temporary = folder / "tmp"
        self._temporary.mkdir()
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id_decoy").write_text(SECRET, "utf-8")
        self._profile = self.home / ".profile"
        self._profile.write_text(PROFILE, "utf-8")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)

    @property
    def port(self) -> int:
        """On the machine's loopback."""
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def environment(self) -> Mapping[str, str]:
        """What a harness is started with."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "TMPDIR": str(self._temporary),
            "OPENAI_API_KEY": SECRET,
        }

    def see(self) -> str:
        """What was done to them since the last time, in a word or two, or ""; undoes it."""
        seen = ""
        with suppress(BlockingIOError):
            self._listener.accept()[0].close()
            seen = "connected"
        if self._profile.read_text("utf-8") != PROFILE:
            seen = "wrote it"
            self._profile.write_text(PROFILE, "utf-8")
        return seen

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()
