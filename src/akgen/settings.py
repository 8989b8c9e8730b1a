"""What the environment may set. Read once, by the front door; rooms get values, never the environment."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from akgen.tools.toolchains import Machine
from akgen.tools.twin.settings import user_cache

if TYPE_CHECKING:
    from akgen.graph.run import Site


class Settings(BaseSettings):
    """Defaults for every command, from variables such as `AKGEN_MODEL` and `AKGEN_RUNS`."""

    model_config = SettingsConfigDict(env_prefix="AKGEN_", frozen=True, extra="ignore")

    model: str = "composer"
    base_url: str | None = None
    api_key: SecretStr | None = None  # for the model's endpoint
    model_tries: int = Field(default=5, ge=1)  # of a request, before the endpoint counts as down
    model_timeout_s: float = Field(default=600.0, gt=0)  # of one answer, and of silence while waiting for it
    model_wait_s: float = Field(default=1.0, ge=0)  # between two tries of a request; it doubles
    toolchain: Literal["twin", "cann"] = "twin"
    chip: str = "Ascend910B2"
    runs: Path = Path("runs")
    npukb_root: Path | None = None
    postgres: SecretStr | None = None  # checkpoints in this database instead of a file in the run folder
    cache: Path = Field(default_factory=lambda: user_cache(os.environ))  # what is built once per machine
    cache_gib: float = Field(default=5.0, gt=0)  # beyond that, what is used least recently is deleted
    compiler: str | None = None  # a C++17 compiler for the twin
    path: str = Field(default="/usr/local/bin:/usr/bin:/bin", validation_alias="PATH")
    otel_endpoint: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    cann_home: Path | None = Field(default=None, validation_alias="ASCEND_HOME_PATH")  # CANN's set_env.sh

    def machine(self) -> Machine:
        """Return what toolchains must be told of this machine."""
        return Machine(
            cache=self.cache.absolute(),
            path=self.path,
            compiler=self.compiler,
            cann_home=self.cann_home,
            cache_limit_bytes=int(self.cache_gib * 2**30),
        )

    def site(self) -> "Site":
        """Return what a run needs of this machine and this user."""
        from akgen.graph.run import Site  # imports langgraph; only for commands that run the graph

        return Site(
            machine=self.machine(),
            memory=self.runs.absolute() / "memory.sqlite",  # workers have another folder
            model_tries=self.model_tries,
            model_timeout_s=self.model_timeout_s,
            model_wait_s=self.model_wait_s,
            otel_endpoint=self.otel_endpoint,
            api_key=self.api_key.get_secret_value() if self.api_key else None,
            postgres=self.postgres.get_secret_value() if self.postgres else None,
        )
