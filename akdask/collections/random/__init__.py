"""Random numbers: `Generator`, its distributions and samples, and arrays of random numbers and text."""
