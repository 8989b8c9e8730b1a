"""Versions of installed packages, each looked up once per process."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def package_version(name: str) -> str | None:
    """Return a package's version; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
