"""Names of tiers, and the patterns that mean them."""

from __future__ import annotations

from fnmatch import fnmatchcase


def means(pattern: str, tier: str, *, finer: bool) -> bool:
    """Whether a pattern means a tier; `*` stands for any characters, slashes too.

    A `finer` tier (a part of another one) is meant only by a pattern with as many parts as itself, counted by slashes:
    `preservation/*` means the pooled tiers, `preservation/*/*/*/*` those of the length buckets.
    """
    return fnmatchcase(tier, pattern) and (not finer or pattern.count("/") == tier.count("/"))
