"""Settings: flags before ASSAY_* variables before .env before [tool.assay] in pyproject.toml.

Read by surfaces and passed down; nothing below them reads the environment for its behaviour.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    PyprojectTomlConfigSettingsSource,
    SettingsConfigDict,
)

DEFAULT_MODEL = "embedded:qwen2.5-coder-1.5b"


class Settings(BaseSettings):
    """Everything that can be set once for all commands."""

    model_config = SettingsConfigDict(
        env_prefix="ASSAY_",
        env_file=".env",
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
    data_folder: Path = Field(default_factory=lambda: platformdirs.user_data_path("assay"))
    """Where sessions and receipts are kept."""
    cache_folder: Path = Field(default_factory=lambda: platformdirs.user_cache_path("assay"))
    """Where models, packages and documentation are kept; may be deleted at any time."""
    documentation_tokens: int | None = Field(default=None, ge=1)
    """Budget for documentation in a prompt. None: the model's window less the answer, 4,000 for
    embedded models."""
    allow_private_addresses: bool = False
    """Whether documentation may be read from private and link-local addresses."""
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
        """Put flags first and the project's file last."""
        project = PyprojectTomlConfigSettingsSource(settings_cls)
        return init_settings, env_settings, dotenv_settings, project

    @property
    def database(self) -> Path:
        """The one file that holds sessions, events, replies and checkpoints."""
        return self.data_folder / "assay.db"

    @property
    def receipts(self) -> Path:
        """The folder with a receipt for each answer."""
        return self.data_folder / "receipts"
