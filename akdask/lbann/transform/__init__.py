"""What becomes of stored fields: coerced, normalised, channels first, packed into groups that have names."""
