"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass

from .names import checked_name, checked_names

__all__ = ["Principal"]


@dataclass(frozen=True)
class Principal:
    """Who asks, as the application knows it from its own session.

    It is never a parameter of a tool, is never in a prompt, and nothing that a model writes can change it.

    Parameters
    ----------
    operator_id
        The person.
    organization_id
        For which organization the person acts.
    entitlements
        What the person may do there, by name.

    Raises
    ------
    TypeError, ValueError
        If one of them is not made of names: printable, at most 200 characters, without ``"``.

    Examples
    --------
    >>> Principal("ada", "acme", {"hydraulics"}).entitlements
    frozenset({'hydraulics'})
    """

    operator_id: str
    organization_id: str
    entitlements: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        checked_name("operator_id", self.operator_id)
        checked_name("organization_id", self.organization_id)
        object.__setattr__(self, "entitlements", checked_names("entitlements", self.entitlements))

    def logged(self) -> dict[str, str]:
        """Give what the audit log tells of who asked."""
        return {"operator": self.operator_id, "organization": self.organization_id}
