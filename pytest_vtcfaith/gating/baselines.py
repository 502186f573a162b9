"""Baselines: the accepted scores of a model, one file per tier, kept as syrupy snapshots.

A file is one JSON object with a checksum over the rest of it. It is read before anything is compared, and refused when
it was cut, edited, or made for other texts or another way of scoring: then nothing can be said, which is an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from syrupy.assertion import SnapshotAssertion
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation

from pytest_vtcfaith.report.results import naming

SCHEMA, VERSION = "vtcfaith/baseline", 1
MISSING = "no baseline, accept with --snapshot-update"


class BaselineError(Exception):
    """A baseline file that cannot be trusted; the message names the file, what is wrong, and the mend."""


def baseline_path(folder: Path, model: str, tier: str) -> Path:
    """`folder/<model>/<tier>.json`, slashes and other marks of the tier as hyphens; `model` is a slug."""
    return folder / model / ("-".join(tier.split("/")).replace("+", "-") + ".json")


def _checksum(record: Mapping[str, Any]) -> str:
    body = {k: v for k, v in record.items() if k != "sha256"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode("ascii")).hexdigest()


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with schema, version, count of its `cases` and checksum; raises ValueError for nan and infinity."""
    full = {**record, "schema": SCHEMA, "version": VERSION, "count": len(record["cases"])}
    return {**full, "sha256": _checksum(full)}


def read_baseline(path: Path, *, expect: Mapping[str, str] | None = None) -> dict[str, Any] | None:
    """The record of a file, None when there is no file.

    `expect` maps fields (`profile`, `cases_sha256`, `model`, `tier`) to the value of this run. Raises BaselineError for
    a file that is cut or edited, of another version, or whose fields differ.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise BaselineError(f"{path}: cannot be read: {problem}") from problem
    mend = "restore it from version control, or accept anew with --snapshot-update"
    try:
        record = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        raise BaselineError(f"{path}: baseline is cut or not JSON ({problem}); {mend}") from problem
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise BaselineError(f"{path}: is not a baseline (schema {SCHEMA!r} expected); {mend}")
    if record.get("version") != VERSION:
        raise BaselineError(
            f"{path}: baseline has version {record.get('version')!r}, this program reads {VERSION}; {mend}"
        )
    cases = record.get("cases")
    if record.get("sha256") != _checksum(record) or not isinstance(cases, dict) or record.get("count") != len(cases):
        raise BaselineError(f"{path}: baseline was edited: its checksum or count of cases does not fit; {mend}")
    for field in ("documents", "metrics", "provenance", "noise"):
        if field in record and not isinstance(record[field], dict):
            raise BaselineError(f"{path}: baseline was edited: {field} is {record[field]!r}, no table; {mend}")
    for field, wanted in (expect or {}).items():
        if record.get(field) != wanted:
            what = {"cases_sha256": "made for other texts", "profile": "scored by another profile"}.get(
                field, f"of another {field}"
            )
            raise BaselineError(
                f"{path}: foreign baseline, {what}: {field} is {record.get(field)!r}, this run has {wanted!r}; "
                f"accept anew with --snapshot-update"
            )
    return record


def is_baseline(path: Path) -> bool:
    """Whether a file says that it is a baseline, be it edited or of another version."""
    try:
        found = json.loads(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("schema") == SCHEMA


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def write_baseline(path: Path, record: Mapping[str, Any]) -> None:
    """Writes a sealed record, keys sorted, in one step: whatever goes wrong, the file is the old one or the new one."""
    write_baselines({path: record})


def write_baselines(records: Mapping[Path, Mapping[str, Any]]) -> None:
    """Writes several, path → sealed record: every one is on the disk before the first takes the place of an old file.

    Raises OSError that names the file, with all old files in their places where the disk is full; each file is the old
    or the new one.
    """
    drafts: dict[Path, Path] = {}
    try:
        for path, record in records.items():
            draft = drafts[path] = path.with_name(f".{path.name}.{os.getpid()}")
            with naming(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                with draft.open("w", encoding="utf-8", newline="\n") as file:
                    file.write(json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
        for path, draft in drafts.items():
            with naming(path):
                draft.replace(path)
    finally:
        for draft in drafts.values():
            with contextlib.suppress(OSError):  # what went wrong before is what is to be told
                draft.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other writers of the folder of baselines waiting; ends with the process, however that ends.

    What writers that were killed have left half written is removed. Where the system has no such lock every file is
    still written in one step.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
            for draft in folder.glob("*/.*.json.*"):
                draft.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


class TierBaseline(AbstractSyrupyExtension):
    """Snapshots of tiers. `place` is this gate's file, `agrees` decides whether a run may stand against it.

    While `updating`, a file that cannot be trusted counts as absent, so that it is written anew.
    """

    place: Path
    updating: bool
    agrees: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    file_extension = "json"
    write_immediately = True

    def serialize(self, data: Any, **_: Any) -> str:
        """Canonical JSON."""
        return json.dumps(data, sort_keys=True)

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """The gate's own judgement."""
        return type(self).agrees(json.loads(serialized_data), json.loads(snapshot_data))

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Old and new value of every metric that changed."""
        new, old = json.loads(serialized_data)["metrics"], json.loads(snapshot_data or '{"metrics": {}}')["metrics"]
        for name in sorted(new.keys() | old.keys()):
            if new.get(name) != old.get(name):
                yield f"{name}: {old.get(name)} → {new.get(name)}"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The model's folder."""
        return str(cls.place.parent)

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: Any) -> str:
        """The tier."""
        return cls.place.stem

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: Sequence[str] | None = None
    ) -> SnapshotCollections:
        """None: no baseline is ever unused, so none is ever deleted."""
        return SnapshotCollections()

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        """Only this gate's own file."""
        return snapshot_location == str(cls.place)

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        """One file, in one step."""
        for snapshot in snapshot_collection:
            path = Path(snapshot_collection.location)
            with locked(path.parent.parent):
                write_baseline(path, json.loads(str(snapshot.data)))

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """The file as a collection of one."""
        found = SnapshotCollection(location=snapshot_location)
        found.add(Snapshot(name="tier", data=self._read(Path(snapshot_location))))
        return found

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """The file's text; None when there is none."""
        return self._read(Path(snapshot_location))

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: Iterable[str]) -> None:
        """Nothing: baselines are never removed by a test run."""

    def _read(self, path: Path) -> str | None:
        try:
            record = read_baseline(path)
        except BaselineError:
            if type(self).updating:
                return None
            raise
        return None if record is None else self.serialize(record)


def tier_snapshot(
    snapshot: SnapshotAssertion,
    place: Path,
    agrees: Callable[[Mapping[str, Any], Mapping[str, Any]], bool],
) -> SnapshotAssertion:
    """The session's own snapshot, bound to one baseline file.

    `agrees(new, old)` decides in a comparing run; an updating run (`--snapshot-update`) rewrites whatever differs,
    since a tolerant comparison would never rewrite what it forgives.
    """
    updating = snapshot.update_snapshots
    decide = (lambda new, old: new == old) if updating else agrees
    bound = type(
        "BoundBaseline", (TierBaseline,), {"place": place, "updating": updating, "agrees": staticmethod(decide)}
    )
    return snapshot.use_extension(bound)
