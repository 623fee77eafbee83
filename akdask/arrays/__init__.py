"""Arrays of one type as users hold them, and functions of them."""
