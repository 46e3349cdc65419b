"""One harness on trial: restarted where it was lost, so that each case finds it well."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bench.peers.cases import ORDINARY, Abuse
from bench.peers.decoys import Decoys
from bench.peers.harness import ANSWER_SECONDS, Harness, Lost
from bench.peers.serving import Answer, Case

WARM_UPS = 3


class Trial:
    """A harness, and how to get another one like it."""

    def __init__(
        self, harness: Harness, start: Callable[[], Awaitable[Harness]], decoys: Decoys
    ) -> None:
        """Put `harness` on trial; `start` makes another one."""
        self.harness = harness
        self._start = start
        self._decoys = decoys

    async def warm_up(self) -> None:
        """Let it judge some ordinary programs.

        Raises:
            Lost: it judges an ordinary program wrongly, so nothing can be measured with it.
        """
        for _ in range(WARM_UPS):
            answer = await self.harness.ask(ORDINARY)
        if not answer.passed:
            raise Lost(answer.error or "it refuses an ordinary program")

    async def ask(self, case: Case, *, watched: bool = False) -> Answer:
        """Ask for a case; a harness that is lost over it has not passed it, and is renewed."""
        try:
            return await self.harness.ask(case, watched=watched)
        except Lost as error:
            await self._renew()
            return Answer(passed=False, seconds=ANSWER_SECONDS, peak_bytes=0, error=str(error))

    async def abuse(self, abuse: Abuse) -> str:
        """Say what came of an abuse: `held`, or what was not, in a word or two."""
        said = await self._abuse(abuse)
        seen = self._decoys.see()
        if said or seen:
            await self._renew()
        return said or seen or "held"

    def close(self) -> None:
        """End the harness."""
        self.harness.close()

    async def _abuse(self, abuse: Abuse) -> str:
        case = abuse.case(self._decoys.home, self._decoys.port)
        try:
            answer = await self.harness.ask(case, watched=True)
            if answer.passed and abuse.passing:
                return abuse.passing
            if not (await self.harness.ask(ORDINARY, watched=True)).passed:
                return "spoilt it"
        except Lost as error:
            return str(error)
        return "" if await self.harness.is_at_rest() else "left running"

    async def _renew(self) -> None:
        self.harness.close()
        self.harness = await self._start()
        await self.warm_up()
