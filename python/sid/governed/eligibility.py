"""The rule: which versions a principal may be shown. Pure functions of authoritative metadata, before any ranking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from .principal import Principal
from .versions import EVERYONE, Described, Status

__all__ = ["Standing", "days_in_force", "in_audience", "is_eligible", "is_in_force", "is_meant_for", "may_open"]


@dataclass(frozen=True)
class Standing:
    """What became of a version since it was written.

    Parameters
    ----------
    status
        What it is now.
    superseded_from
        The first day on which another version, seen or not, stands in its place.
    """

    status: Status
    superseded_from: date | None = None


def in_audience(version: Described, principal: Principal) -> bool:
    """Say whether a version is meant for a principal: organization and entitlements."""
    audience = version.audience
    reached = audience == EVERYONE or (isinstance(audience, frozenset) and principal.organization_id in audience)
    return reached and version.required_entitlements <= principal.entitlements


def is_meant_for(version: Described, principal: Principal, scope: str) -> bool:
    """Say whether a version could be eligible, by what never changes: where this is not so, nothing else is read."""
    return version.scope == scope and in_audience(version, principal)


def days_in_force(version: Described, standing: Standing) -> tuple[date, date | None] | None:
    """Give the first day that a version is in force and the first that it is no more, or ``None`` if it never is."""
    if standing.status != "active":
        return None
    ends = [day for day in (version.effective_until, standing.superseded_from) if day is not None]
    until = min(ends, default=None)
    return None if until is not None and until <= version.effective_from else (version.effective_from, until)


def is_in_force(version: Described, standing: Standing, day: date) -> bool:
    """Say whether a version is in force on a day."""
    days = days_in_force(version, standing)
    return days is not None and days[0] <= day and (days[1] is None or day < days[1])


def is_eligible(version: Described, standing: Standing, principal: Principal, scope: str, day: date) -> bool:
    """Say whether a principal's question, asked in a scope and about a day, may be answered from a version."""
    return is_meant_for(version, principal, scope) and is_in_force(version, standing, day)


def may_open(version: Described, status: Status, principal: Principal, day: date) -> bool:
    """Say whether a principal may open a citation on a day: one who may see it, of a version whose first day has come.

    One that is superseded, were it from its first day on, or whose days are over opens, and is told to be so. No draft
    opens, and none that is withdrawn.
    """
    return in_audience(version, principal) and status == "active" and version.effective_from <= day
