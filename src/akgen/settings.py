"""What the environment may set. Read once, by the front door; rooms get values, never the environment."""

from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Defaults for every command, from variables such as `AKGEN_MODEL` and `AKGEN_RUNS`."""

    model_config = SettingsConfigDict(env_prefix="AKGEN_", frozen=True, extra="ignore")

    model: str = "composer"
    base_url: str | None = None
    api_key: SecretStr | None = None  # for the model's endpoint
    toolchain: str = "twin"
    chip: str = "Ascend910B2"
    runs: Path = Path("runs")
    npukb_root: Path | None = None
    postgres: SecretStr | None = None  # checkpoints in this database instead of a file in the run folder
