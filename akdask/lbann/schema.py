"""Schemas: YAML as Conduit reads it, metadata that trickles down, and how two schemas are merged."""

from __future__ import annotations

from akdask.lbann.directives import Directives
from akdask.lbann.fields import FieldMetadata, SampleFields, merge
from akdask.lbann.make_schema import GeneratedSchemas, generate
from akdask.lbann.schema_nodes import MetadataEntry, Schema, SchemaNode, load

__all__ = [
    "Directives",
    "FieldMetadata",
    "GeneratedSchemas",
    "MetadataEntry",
    "SampleFields",
    "Schema",
    "SchemaNode",
    "generate",
    "load",
    "merge",
]
