"""Files of any tree of groups and datasets: values by path, and where the bytes of many of them lie."""
