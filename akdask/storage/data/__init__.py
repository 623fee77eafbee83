"""Bytes of data: where they lie, how ranges are read and written, what the lazy layer scans."""
