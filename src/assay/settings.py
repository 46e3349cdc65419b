"""Settings: flags before ASSAY_* variables before .env before [tool.assay] in pyproject.toml.

Read by surfaces and passed down; nothing below them reads the environment for its behaviour. The
two files are those of the current folder, which may be anybody's: they cannot give permissions.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    PyprojectTomlConfigSettingsSource,
    SettingsConfigDict,
)

from assay.domain.data import say_problem
from assay.domain.limits import Limits
from assay.domain.roles import Agents, AgentSettings
from assay.errors import BadInput, UnknownName

PERMISSIONS = (
    "allow_private_addresses", "base_url", "cache_folder", "data_folder", "github_url",
    "languages", "prompts", "record", "replay", "sandbox",
)  # fmt: skip
"""What the user alone decides. With an address of its own, a folder would get the user's key; with
a data folder of its own, its receipts would pass for the user's; with a cache, its weights."""

DEFAULT_MODEL = "embedded:qwen2.5-coder-1.5b"


class Settings(BaseSettings):
    """Everything that can be set once for all commands."""

    model_config = SettingsConfigDict(
        env_prefix="ASSAY_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="ignore",
        pyproject_toml_table_header=("tool", "assay"),
    )

    model: str = DEFAULT_MODEL
    """The model as `provider:name`."""
    base_url: str | None = None
    """Address of an OpenAI-compatible service."""
    flow: str = "correct"
    attempts: int = Field(default=3, ge=1, le=50)
    timeout: float | None = Field(default=None, gt=0)
    """Seconds that a whole session may take."""
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, ge=0)
    sandbox: Literal["auto", "none"] = "auto"
    """`none` runs generated code with no protection."""
    packages_warm: Annotated[tuple[str, ...], NoDecode] = ()
    """Modules that waiting Pythons import beforehand, for programs that name them."""
    data_folder: Path = Field(default_factory=lambda: _own_folder(platformdirs.user_data_path))
    """Where sessions and receipts are kept."""
    cache_folder: Path = Field(default_factory=lambda: _own_folder(platformdirs.user_cache_path))
    """Where models, packages and documentation are kept; may be deleted at any time."""
    documentation_tokens: int | None = Field(default=None, ge=1)
    """Budget for documentation in a prompt. None: the model's window less the answer, 4,000 for
    embedded models."""
    allow_private_addresses: bool = False
    """Whether documentation may be read from private and link-local addresses."""
    call_silence: float = Field(default=60, gt=0)
    """Seconds after which a model that sends nothing is given up."""
    call_tries: int = Field(default=4, ge=1, le=20)
    """How often a model's service is asked that refuses for now (busy, overloaded, cut off)."""
    agents: Agents = Field(default_factory=dict)
    """What is set for single roles: `[tool.assay.agents.tester] model = …`."""
    prompts: Path | None = None
    """A folder with prompts of one's own, that come before Assay's."""
    languages: Path | None = None
    """A folder of TOML files, each of which lets Assay run another language."""
    github_url: str = "https://api.github.com"
    """Address of GitHub's API, or of that of a GitHub Enterprise server."""
    record: Path | None = None
    """The tape on which a session's calls of its model are written; one that does not exist."""
    replay: Path | None = None
    """The tape that is played instead of asking a model."""
    allow_model_calls: bool = True
    """False makes every call to a real model an error; tests set it."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put flags first and the project's file last.

        Raises:
            BadInput: a file cannot be read, or would give a permission.
        """
        files = _open(_EnvFile, settings_cls), _open(_ProjectFile, settings_cls)
        return init_settings, env_settings, *files

    @field_validator("packages_warm", mode="before")
    @classmethod
    def _split(cls, names: object) -> object:
        return tuple(filter(None, re.split(r"[,\s]+", names))) if isinstance(names, str) else names

    @field_validator("packages_warm")
    @classmethod
    def _check_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not all(part.isidentifier() for part in name.split(".")):
                raise ValueError(f"{name!r} is not the name of a module")
        return names

    @field_validator("agents")
    @classmethod
    def _need_a_programmer(cls, agents: Agents) -> Agents:
        if not agents.get("programmer", AgentSettings()).asked:
            raise ValueError("no flow can do without the programmer")
        return agents

    @field_validator("data_folder", "cache_folder")
    @classmethod
    def _expand(cls, folder: Path) -> Path:
        return _own_folder(lambda _: folder.expanduser())

    @property
    def limits(self) -> Limits:
        """What a session may spend whose task does not say."""
        return Limits(
            attempts=self.attempts,
            tokens=self.max_tokens,
            cost=self.max_cost,
            seconds=self.timeout,
        )

    @property
    def database(self) -> Path:
        """The one file that holds sessions, events, replies and checkpoints."""
        return self.data_folder / "assay.db"

    @property
    def receipts(self) -> Path:
        """The folder with a receipt for each answer."""
        return self.data_folder / "receipts"


def read_settings(**overrides: Any) -> Settings:
    """Settings with `overrides` on top of what the environment and the two files say.

    Raises:
        UnknownName: there is no setting of an override's name.
        BadInput: a value cannot be used; says which and where it may have come from.
    """
    unknown = sorted(overrides.keys() - Settings.model_fields.keys())
    if unknown:
        known = ", ".join(Settings.model_fields)
        raise UnknownName(f"There is no setting {unknown[0]!r}; there are {known}.")
    try:
        return Settings(**overrides)
    except ValidationError as error:
        wrong = error.errors()[0]
        parts = [str(part) for part in wrong["loc"] if part != "[key]"]
        name, variable = ".".join(parts), f"ASSAY_{'__'.join(parts).upper()}"
        raise BadInput(
            f"The setting {name} cannot be used ({say_problem(wrong)}). It may come from a flag, "
            f"from {variable}, from .env, or from [tool.assay] in pyproject.toml."
        ) from error


class _EnvFile(DotEnvSettingsSource):
    name = ".env"

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls, env_file=self.name)

    def __call__(self) -> dict[str, Any]:
        return _without_permissions(super().__call__(), self.name)


class _ProjectFile(PyprojectTomlConfigSettingsSource):
    name = "pyproject.toml"

    def __call__(self) -> dict[str, Any]:
        values = _without_permissions(super().__call__(), self.name)
        unknown = sorted(values.keys() - self.settings_cls.model_fields.keys())
        if unknown:
            known = ", ".join(self.settings_cls.model_fields)
            raise BadInput(
                f"[tool.assay] in {self.name} sets {unknown[0]}, which is no setting. Remove it, "
                f"or take one of {known}."
            )
        return values


def _own_folder(find: Callable[[str], Path]) -> Path:
    try:
        return find("assay")
    except RuntimeError as error:
        raise BadInput(
            "There is no home folder to keep things in. Set HOME, or ASSAY_DATA_FOLDER and "
            "ASSAY_CACHE_FOLDER to the whole paths of folders of yours."
        ) from error


def _open(
    kind: type[_EnvFile | _ProjectFile], settings_cls: type[BaseSettings]
) -> PydanticBaseSettingsSource:
    try:
        return kind(settings_cls)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{kind.name} cannot be read ({error}). Put it right or away.") from error


def _without_permissions(values: dict[str, Any], file: str) -> dict[str, Any]:
    for name in PERMISSIONS:
        if name in values:
            raise BadInput(
                f"{file} sets {name}, which the files of a folder may not decide. Remove it there, "
                f"and set ASSAY_{name.upper()} in your environment or give the flag."
            )
    return values
