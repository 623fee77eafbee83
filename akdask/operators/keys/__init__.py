"""Keys: what groups, sorts and joins compare."""
