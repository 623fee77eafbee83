"""Schemas: YAML as Conduit reads it, metadata that trickles down, and how two schemas are merged."""

from __future__ import annotations

from akdask.lbann.schema.directives import Directives
from akdask.lbann.schema.fields import FieldMetadata, SampleFields
from akdask.lbann.schema.generate import GeneratedSchemas, generate
from akdask.lbann.schema.merge import merge
from akdask.lbann.schema.nodes import MetadataEntry, Schema, SchemaNode, load

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
