"""Groups: rows with equal keys reduced to one."""
