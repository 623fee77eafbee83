"""Checking lists, schemas and files of samples against each other: all faults, none of them fatal."""
