"""Rewriting plans before they are lowered: rules that know which rows, columns and order anybody asks for."""
