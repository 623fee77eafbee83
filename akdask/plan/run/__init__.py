"""From a plan to its results: schedulers, files, pandas and dask.dataframe; plans as text and their cost."""
