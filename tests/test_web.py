"""Files of web servers: one that gives ranges of bytes, and Python's own, which gives whole files only."""

import re
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread

import numpy as np
import pytest

import akdask as ak
from akdask.errors import FileError

pytest.importorskip("aiohttp", reason="aiohttp is not installed; pip install 'akdask[test]'")

VALUES = np.arange(1_500_000) * 7


class Plain(SimpleHTTPRequestHandler):
    """Answers every request with the whole file."""

    def log_message(self, *_):
        pass

    def copyfile(self, source, outputfile):
        try:
            super().copyfile(source, outputfile)
        except ConnectionError:  # the client has read enough
            self.close_connection = True


class Ranged(Plain):
    """Answers requests of ranges."""

    def send_head(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None:
            return super().send_head()
        with open(self.translate_path(self.path), "rb") as file:
            data = file.read()
        start, stop = int(wanted[1]), min(int(wanted[2]) + 1, len(data))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        return BytesIO(data[start:stop])


@contextmanager
def served(handler, folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.fixture
def folder(tmp_path):
    ak.array(VALUES).to_hdf(tmp_path / "large.h5", "x", file_type="single")
    ak.array(VALUES[:9]).to_hdf(tmp_path / "small.h5", "x", file_type="single")
    return tmp_path


@pytest.mark.parametrize("name", ["large.h5", "small.h5"])
def test_a_server_without_ranges_is_told_from_a_truncated_file(folder, name):
    with served(Plain, folder) as url, pytest.raises(FileError, match="does not support ranges") as caught:
        ak.read_hdf(f"{url}/{name}")["x"].to_ndarray()
    assert "truncated" not in str(caught.value)
    assert "download the file" in str(caught.value)


@pytest.mark.parametrize("name", ["large.h5", "small.h5"])
def test_a_server_with_ranges_gives_the_values(folder, name):
    with served(Ranged, folder) as url:
        found = ak.read_hdf(f"{url}/{name}")["x"].to_ndarray()
    np.testing.assert_array_equal(found, VALUES if name == "large.h5" else VALUES[:9])
