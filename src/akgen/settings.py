"""What the environment may set. Read once, by the front door; rooms get values, never the environment."""

import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from akgen.tools.core.settings import Settings
from akgen.tools.twin.settings import user_cache


class Environment(BaseSettings, Settings):
    """The settings, from variables such as `AKGEN_MODEL` and `AKGEN_RUNS`."""

    model_config = SettingsConfigDict(env_prefix="AKGEN_", frozen=True, extra="ignore")

    cache: Path = Field(default_factory=lambda: user_cache(os.environ))
    path: str = Field(default="/usr/local/bin:/usr/bin:/bin", validation_alias="PATH")
    otel_endpoint: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    cann_home: Path | None = Field(default=None, validation_alias="ASCEND_HOME_PATH")  # CANN's set_env.sh
    library_path: str = Field(default="", validation_alias="LD_LIBRARY_PATH")


def from_environment() -> Settings:
    """Return the settings of this process. Raises pydantic's ValidationError for a value that cannot be used."""
    return Settings(**dict(Environment()))
