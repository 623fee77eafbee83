"""Small sample sets, written by raw h5py."""

from __future__ import annotations

import h5py
import numpy as np

SCHEMA = """
image:
  metadata: {pack: samples, ordering: 10, scale: 0.5, bias: 1.0, coerce: float, dims: [2, 3], channels: 1}
in:
  metadata: {pack: responses, coerce: double, ordering: 20}
  count:
  energy:
"""


def make_samples(folder, files=3, per_file=5, *, parent="RUN"):
    """Write files a_0.h5, … and train.samples; returns images, counts and energies in the order of the list."""
    rng = np.random.default_rng(7)
    n = files * per_file
    images, counts, energies = rng.normal(size=(n, 2, 3)), np.arange(n), rng.random(n)
    lines = ["CONDUIT_HDF5_INCLUSION", f"{n} 0 {files}", str(folder)]
    for file in range(files):
        ids = []
        with h5py.File(folder / f"a_{file}.h5", "w") as made:
            for row in range(file * per_file, (file + 1) * per_file):
                name = f"{parent}/{row:09}" if parent else f"{row:09}"
                group = made.create_group(name)
                group["image"] = images[row]
                group["in/count"] = counts[row]
                group["in/energy"] = energies[row]
                ids.append(name)
        lines.append(f"a_{file}.h5 {per_file} 0 {' '.join(ids)}")
    (folder / "train.samples").write_text("\n".join([*lines, ""]))
    (folder / "data.yaml").write_text(SCHEMA)
    return images, counts, energies


def expected(images, counts, energies):
    """Return what samples become by the schema, computed by NumPy."""
    samples = (images.reshape(len(images), -1).astype(np.float32).astype(float) * 0.5 + 1.0).astype(np.float32)
    return {"samples": samples, "responses": np.stack([counts.astype(float), energies], axis=1)}
