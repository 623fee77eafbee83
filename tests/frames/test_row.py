"""One row of a DataFrame."""

import numpy as np

import akdask as ak


def test_a_row_is_a_mapping_of_numpys_values():
    row = ak.DataFrame({"port": [443, 53], "name": ["https", None], "rate": [0.5, 2.0]})[0]
    assert isinstance(row, ak.Row)
    assert row == {"port": 443, "name": "https", "rate": 0.5}
    assert repr(row) == "{'port': np.int64(443), 'name': np.str_('https'), 'rate': np.float64(0.5)}"
    assert isinstance(row["name"], np.str_)


def test_a_row_prints_as_a_table_and_shows_as_html():
    row = ak.Row({"a column": 1, "b": "<i>"})
    assert str(row).splitlines() == ["keys      values", "--------  --------", "a column  1", "b         <i>"]
    assert str(ak.Row({"x": 10})).splitlines()[1] == "------  --------"
    assert row._repr_html_().startswith("<table")
    assert "&lt;i&gt;" in row._repr_html_()
