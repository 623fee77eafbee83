"""Making data for LBANN: sample files, statistics of fields, schemas that normalise by them."""
