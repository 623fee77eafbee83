"""Joins: a broadcast index of the build side, or an exchange of both sides by hash."""
