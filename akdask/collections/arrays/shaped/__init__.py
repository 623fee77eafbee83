"""Arrays of several dimensions: how their elements lie in flat ones, what keys choose, and sorting along one."""
