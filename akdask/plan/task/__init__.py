"""What runs inside one task: the block interpreter, its programs and operators, and how partitions become tasks."""
