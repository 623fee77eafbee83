"""What all lazy objects share: plans, rows, operators, scalars, names of columns, storage."""
