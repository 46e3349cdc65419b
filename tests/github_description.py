"""GitHub's own description of its API, against which requests and answers are held."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4
from tests.shared_cache import FETCHED, NPM

PACKAGE = "@octokit/openapi@23.0.2"
SHA256 = "829b4bebb19a53133289f7b0bc819f4f1118115821db2ca9f25e9ee995a7da2a"
_MEMBER = "package/generated/api.github.com.json"
_URI = "urn:github"


def find_description() -> Path:
    """The description's file, fetched through npm where it is not there yet."""
    folder = FETCHED
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"github-{SHA256[:12]}.json"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            done = subprocess.run(
                [*NPM, "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, check=False
            )
            if done.returncode:
                pytest.skip(f"npm cannot fetch {PACKAGE}")
            archive = folder / done.stdout.decode().split()[-1]
            with tarfile.open(archive) as packed:
                member = packed.extractfile(_MEMBER)
                assert member is not None
                content = member.read()
            archive.unlink()
            assert hashlib.sha256(content).hexdigest() == SHA256
            path.write_bytes(content)
    return path


@cache
def description() -> Description:
    """It, read once a process."""
    return Description(json.loads(find_description().read_text("utf-8")))


class Description:
    """Paths with their operations."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        registry: Registry[Any] = Registry()
        self._registry = registry.with_resource(_URI, DRAFT4.create_resource(document))
        self._paths = [
            (re.compile(_pattern(path)), operations)
            for path, operations in document["paths"].items()
        ]

    def operation(self, method: str, path: str) -> dict[str, Any]:
        """What is said of a request; fails where there is none such."""
        for pattern, operations in self._paths:
            if pattern.fullmatch(path) and method.lower() in operations:
                found: dict[str, Any] = operations[method.lower()]
                return found
        raise AssertionError(f"GitHub has no {method} {path}")

    def check_request(self, method: str, path: str, query: dict[str, str], body: Any) -> None:
        """Fail where a request is not as GitHub wants it."""
        operation = self.operation(method, path)
        known = [self.resolved(one) for one in operation.get("parameters", ())]
        names = {one["name"] for one in known if one["in"] == "query"}
        assert query.keys() <= names, f"{method} {path} takes no {query.keys() - names}"
        wanted = operation.get("requestBody")
        assert (body is not None) == (wanted is not None)
        if wanted is not None:
            self._check(wanted["content"]["application/json"]["schema"], body)

    def check_answer(self, method: str, path: str, status: int, body: Any) -> None:
        """Fail where an answer is not as GitHub gives it."""
        schema = self.answer_schema(method, path, status)
        if schema is not None:
            self._check(schema, body)

    def answer_schema(self, method: str, path: str, status: int) -> Any | None:
        """The schema of an answer; None where the description has none for this status."""
        answer = self.operation(method, path)["responses"].get(str(status))
        if answer is None:
            return None
        content = self.resolved(answer).get("content", {})
        return content.get("application/json", {}).get("schema")

    def instance_of(self, schema: Any, **given: Any) -> Any:
        """The smallest value that a schema allows, with what is given."""
        schema = self.resolved(schema)
        for key in ("allOf", "anyOf", "oneOf"):
            if key in schema:
                return self.instance_of(schema[key][0], **given)
        if given or schema.get("type") == "object" or "properties" in schema:
            properties = schema.get("properties", {})
            names = schema.get("required", ())
            return {
                **{name: self.instance_of(properties.get(name, {})) for name in names},
                **given,
            }
        if schema.get("nullable"):
            return None
        if "enum" in schema:
            return schema["enum"][0]
        match schema.get("type"):
            case "array":
                return []
            case "integer" | "number":
                return 1
            case "boolean":
                return False
        match schema.get("format"):
            case "date-time":
                return "2026-01-01T00:00:00Z"
            case "uri":
                return "https://github.example/"
        return "text"

    def resolved(self, node: Any) -> Any:
        """A part of the description that may be named by a reference."""
        while "$ref" in node:
            found: Any = self._document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def _check(self, schema: Any, value: Any) -> None:
        validator = OAS30Validator(_absolute(schema), registry=self._registry)
        errors = list(validator.iter_errors(value))
        assert not errors, [f"{one.json_path}: {one.message[:200]}" for one in errors[:3]]


def _absolute(node: Any) -> Any:
    """A part of the description whose references say what they are of."""
    if isinstance(node, list):
        return [_absolute(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {key: _URI + value if key == "$ref" else _absolute(value) for key, value in node.items()}


def _pattern(path: str) -> str:
    """A path as a regular expression; a reference's name may have slashes."""
    return "/".join(
        ("(.+)" if part == "{ref}" else "([^/]+)") if part.startswith("{") else re.escape(part)
        for part in path.split("/")
    )
