"""Checks of blobs against the rules of the format, their descriptions, their roles and each other."""

from akdask.evo.blobs.findings import Finding, Severity, errors_among, exit_code
from akdask.evo.validation.checks import validate, validate_many

__all__ = ["Finding", "Severity", "errors_among", "exit_code", "validate", "validate_many"]
