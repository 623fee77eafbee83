"""Functions of several arrays, beyond the methods of one."""
