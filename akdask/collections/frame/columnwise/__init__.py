"""What is done with each column of a DataFrame, or across them: operators, reductions of rows, aggregations."""
