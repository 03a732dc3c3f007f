"""What can be wrong with an index or an installation."""

from __future__ import annotations

__all__ = ["MissingExtra", "UnusableIndex"]


class UnusableIndex(Exception):
    """An index that is damaged, foreign, of another version, or made otherwise than is asked of it."""


class MissingExtra(ImportError):
    """A part of the package that needs a dependency which is not installed."""

    def __init__(self, part: str, extra: str, cause: ImportError) -> None:
        # The package that lacks may be a dependency of the dependency.
        super().__init__(f"{part} needs the extra {extra!r} ({cause}); run: pip install 'sid-native[{extra}]'")
        self._parts = part, extra, cause

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, ImportError]]:
        return type(self), self._parts
