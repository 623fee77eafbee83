"""What is told of plans: trees, what they take, where time went, how far they are."""
