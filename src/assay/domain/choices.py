"""What a person chooses by name; apart from the data, as its library is slow to import."""

from __future__ import annotations

from typing import Literal

AnswerKind = Literal["auto", "code", "prose"]
Require = Literal["tests", "execution"]
TargetKind = Literal["folder", "branch", "gist", "pull-request"]
