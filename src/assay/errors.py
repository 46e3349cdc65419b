"""Everything that can go wrong, as one tree.

AssayError
├── UsageError                wrong use: the person can put it right and ask again
│   ├── BadInput              a question, file, test or example that cannot be used
│   ├── UnknownName           a model, provider, flow or language that does not exist
│   ├── DocumentationError    documentation that was asked for and cannot be read
│   ├── SessionNotFound       no session with this id
│   ├── SessionRunning        another process works on this session
│   └── TapeError             a tape that cannot be read, or has no reply to what is asked
├── ModelError                no reply could be had from the model
│   ├── ModelUnreachable      no connection, or what answers is not a model
│   ├── ModelRefused          a key is missing or was not accepted
│   ├── ModelSilent           neither progress nor text for too long
│   ├── ModelFailed           the service answered with an error, again and again
│   └── WeightsError          the files of an embedded model cannot be had
│       ├── WeightsDamaged    a file's hash is not the pinned one
│       ├── WeightsCut        a download ended early
│       └── DiskFull          there is no room for it
├── ReplyError                a reply that cannot be used; goes back to the model
│   ├── NoCode                there is no code in it
│   ├── NoPlan                there are no steps in it, or too many
│   ├── TruncatedReply        it was cut before its end
│   └── UnsafePath            it names a file outside the working folder
├── LimitReached              tokens, cost, calls or time are used up
├── SandboxError              the sandbox did not do its work
│   ├── NoSandbox             there is none on this machine
│   ├── ToolchainMissing      a language's interpreter or compiler is not there
│   └── PackagesError         granted packages cannot be installed
├── StoreError                the database cannot be used (damaged, full, read-only, newer)
│   └── StoreBusy             another program holds it
├── LeaseLost                 another process has gone on with this session
├── CheckInError              an answer could not be put where code lives
│   ├── CheckInRefused        it lacks evidence or approval
│   ├── GitError              git refused, or is not there
│   └── GitHubError           GitHub refused, or did not answer
├── ReceiptError              a receipt that cannot be read, or was changed
└── OutputError               what was asked for cannot be written to where it should go

Each message is a sentence for a person that says what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class AssayError(Exception):
    """What every error of Assay is. `kind` is its stable name, `exit_status` the command's."""

    kind: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 1

    @property
    def message(self) -> str:
        """The sentence for a person."""
        return str(self)


class UsageError(AssayError):
    """Wrong use: the person can put it right and ask again."""

    kind = "usage"
    exit_status = 2


class BadInput(UsageError):
    """A question, file, test or example that cannot be used."""

    kind = "bad_input"


class UnknownName(UsageError):
    """A model, provider, flow or language that does not exist."""

    kind = "unknown_name"


class DocumentationError(UsageError):
    """Documentation that was asked for and cannot be read."""

    kind = "documentation"


class SessionNotFound(UsageError):
    """No session with this id."""

    kind = "session_not_found"


class SessionRunning(UsageError):
    """Another process works on this session."""

    kind = "session_running"


class TapeError(UsageError):
    """A tape that cannot be read or written, or has no reply to what is asked."""

    kind = "tape"


class ModelError(AssayError):
    """No reply could be had from the model."""

    kind = "model"
    exit_status = 3


class ModelUnreachable(ModelError):
    """No connection, or what answers is not a model."""

    kind = "model_unreachable"


class ModelRefused(ModelError):
    """A key is missing or was not accepted."""

    kind = "model_refused"


class ModelSilent(ModelError):
    """Neither progress nor text for too long."""

    kind = "model_silent"


class ModelFailed(ModelError):
    """The service answered with an error, again and again."""

    kind = "model_failed"


class WeightsError(ModelError):
    """The files of an embedded model cannot be had."""

    kind = "weights"


class WeightsDamaged(WeightsError):
    """A file's hash is not the pinned one."""

    kind = "weights_damaged"


class WeightsCut(WeightsError):
    """A download ended early."""

    kind = "weights_cut"


class DiskFull(WeightsError):
    """There is no room for the weights."""

    kind = "disk_full"


class ReplyError(AssayError):
    """A reply that cannot be used; it goes back to the model."""

    kind = "reply"


class NoCode(ReplyError):
    """There is no code in the reply."""

    kind = "no_code"


class NoPlan(ReplyError):
    """There is no plan in a reply, or none that can be worked off."""

    kind = "no_plan"


class TruncatedReply(ReplyError):
    """The reply was cut before its end."""

    kind = "truncated"


class UnsafePath(ReplyError):
    """The reply names a file outside the working folder."""

    kind = "unsafe_path"


class LimitReached(AssayError):
    """Tokens, cost, calls or time are used up."""

    kind = "limit_reached"
    exit_status = 4


class SandboxError(AssayError):
    """The sandbox did not do its work."""

    kind = "sandbox"
    exit_status = 5


class NoSandbox(SandboxError):
    """There is no sandbox on this machine."""

    kind = "no_sandbox"


class ToolchainMissing(SandboxError):
    """A language's interpreter or compiler is not there."""

    kind = "toolchain_missing"
    exit_status = 1


class PackagesError(SandboxError):
    """Granted packages cannot be installed."""

    kind = "packages"
    exit_status = 2


class StoreError(AssayError):
    """The database cannot be used: damaged, full, read-only, or from a newer Assay."""

    kind = "store"


class StoreBusy(StoreError):
    """Another program has held the database for too long."""

    kind = "store_busy"


class LeaseLost(AssayError):
    """Another process has gone on with this session, so that this one may not write any more."""

    kind = "lease_lost"


class CheckInError(AssayError):
    """An answer could not be put where code lives."""

    kind = "check_in"
    exit_status = 6


class CheckInRefused(CheckInError):
    """It lacks evidence, or nobody has approved of it."""

    kind = "check_in_refused"


class GitError(CheckInError):
    """Git refused, or is not there."""

    kind = "git"


class GitHubError(CheckInError):
    """GitHub refused, or did not answer."""

    kind = "github"


class ReceiptError(AssayError):
    """A receipt that cannot be read, or was changed."""

    kind = "receipt"
    exit_status = 2


class OutputError(AssayError):
    """What was asked for cannot be written to where it should go."""

    kind = "output"


def error_of_kind(kind: str) -> type[AssayError] | None:
    """The class whose `kind` this is, None where there is none."""
    return _kinds(AssayError).get(kind)


def _kinds(root: type[AssayError]) -> dict[str, type[AssayError]]:
    found = {root.kind: root}
    for child in root.__subclasses__():
        found |= _kinds(child)
    return found
