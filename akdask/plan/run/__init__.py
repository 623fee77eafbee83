"""From a plan to its results: schedulers, files, pandas and dask.dataframe."""
