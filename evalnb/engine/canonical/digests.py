"""Every digest form, and the text an artifact is written as (spec: 01 §4)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evalnb.engine.canonical.jcs import canonical_text, canonicalize
from evalnb.engine.canonical.scan import scan_json
from evalnb.engine.json_values import Json

DIGEST_PATTERN = re.compile(r"sha256:[0-9a-f]{64}")
COMPOSITE_PROTOCOL = "eval-quality/composite/v1"
DIRECTORY_PROTOCOL = "eval-quality/directory/v1"


def digest_bytes(data: bytes) -> str:
    """`sha256:` and 64 lowercase hexadecimal characters, over the bytes themselves."""
    import hashlib  # opening the cryptographic library takes longer than compiling a contract

    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest_artifact(value: object, artifact_path: str) -> str:
    """The digest of a value's canonical bytes. Raises as `canonicalize` does."""
    return digest_bytes(canonicalize(value, artifact_path))


def digest_json(data: bytes | str, artifact_path: str) -> str:
    """The digest of a JSON document given as bytes or text, read strictly. Raises as `scan_json` does."""
    return digest_artifact(scan_json(data, artifact_path), artifact_path)


def digest_composite(fields: Mapping[str, Json], artifact_path: str) -> str:
    """One digest over several named values.

    Raises `TypeError` when `fields` is empty or holds a member `protocol`.
    """
    if not fields:
        raise TypeError("composite requires at least one field")
    if "protocol" in fields:
        raise TypeError('composite fields must not carry a "protocol" member')
    return digest_artifact({"protocol": COMPOSITE_PROTOCOL, **fields}, artifact_path)


def digest_directory(members: Mapping[str, str], artifact_path: str) -> str:
    """One digest over the files of a folder, as a map of relative path to digest.

    Raises `TypeError` for an empty map, a path that is not plain and relative, or a value that is no digest.
    """
    if not members:
        raise TypeError("a directory digest requires at least one member")
    for path, digest in members.items():
        _check_member_path(path)
        if not isinstance(digest, str) or DIGEST_PATTERN.fullmatch(digest) is None:
            raise TypeError(f"directory member {path!r} must map to a sha256 digest")
    return digest_artifact({"protocol": DIRECTORY_PROTOCOL, "members": dict(members)}, artifact_path)


def serialize_artifact(artifact: object, artifact_path: str) -> str:
    """Canonical text and one line feed: what is written to a file or to standard output."""
    return canonical_text(artifact, artifact_path) + "\n"


def _check_member_path(path: str) -> None:
    if path == "":
        raise TypeError("a directory member path must not be empty")
    if "\\" in path:
        raise TypeError(f"directory member path {path!r} must not hold a backslash")
    if path.startswith("/"):
        raise TypeError(f"directory member path {path!r} must be relative")
    if any(segment in ("", ".", "..") for segment in path.split("/")):
        raise TypeError(f"directory member path {path!r} must not hold an empty, '.' or '..' segment")
