"""Arrays of several dimensions: how their elements lie in flat ones, what keys choose, and functions along a dimension."""
