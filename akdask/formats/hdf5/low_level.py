"""The modules of h5py, loaded at first use: to read a set that its manifest describes takes none of them."""

from __future__ import annotations

from typing import Any

from akdask.deferred import DeferredPackage

h5py: Any = DeferredPackage("h5py")
h5a: Any = DeferredPackage("h5py.h5a")
h5d: Any = DeferredPackage("h5py.h5d")
h5ds: Any = DeferredPackage("h5py.h5ds")
h5f: Any = DeferredPackage("h5py.h5f")
h5fd: Any = DeferredPackage("h5py.h5fd")
h5g: Any = DeferredPackage("h5py.h5g")
h5i: Any = DeferredPackage("h5py.h5i")
h5l: Any = DeferredPackage("h5py.h5l")
h5o: Any = DeferredPackage("h5py.h5o")
h5p: Any = DeferredPackage("h5py.h5p")
h5s: Any = DeferredPackage("h5py.h5s")
h5t: Any = DeferredPackage("h5py.h5t")
h5z: Any = DeferredPackage("h5py.h5z")
