"""The sandbox and the short way to check a program that the tests of checks have."""

from tests.integration.checks.conftest import check, packages_folder, sandbox

__all__ = ["check", "packages_folder", "sandbox"]
