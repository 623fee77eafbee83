"""Pure functions on columns: arrays in, arrays out; no lazy objects, no configuration, no files."""
