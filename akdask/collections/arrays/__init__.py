"""`pdarray` and `ArrayView`: arrays of numbers, how they are made, sorted and reduced."""
