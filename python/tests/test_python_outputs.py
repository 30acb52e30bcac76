"""The rule for outputs in Python: inputs are never written over, what exists is kept."""

import os
from pathlib import Path

import pytest
import slottar
from slottar.errors import ExistsError, InvalidError


@pytest.fixture()
def demos(tmp_path):
    return slottar.collect("doorkey", tmp_path / "demos.safetensors", episodes=(16, 4, 4))


@pytest.fixture()
def model(demos):
    return slottar.OMPN(epochs=1, hidden=8, batch=8).fit(demos)


def twice(write, path):
    """Refuses what exists, replaces it with ``overwrite``."""
    write(path)
    kept = Path(path).read_bytes()
    with pytest.raises(ExistsError, match="exists") as caught:
        write(path)
    assert isinstance(caught.value, FileExistsError)
    assert Path(path).read_bytes() == kept
    write(path, overwrite=True)


@pytest.mark.parametrize("ending", ["safetensors", "npz", "hdf5"])
def test_data_is_saved_once(demos, tmp_path, ending):
    twice(demos.save, tmp_path / f"copy.{ending}")


def test_functions_that_write_data(demos, tmp_path):
    twice(lambda p, **k: slottar.save(demos, p, **k), tmp_path / "a.npz")
    twice(lambda p, **k: slottar.from_episodes(demos, p, **k), tmp_path / "b.safetensors")
    twice(
        lambda p, **k: slottar.from_arrays([[0, 1], [1, 0]], path=p, **k),
        tmp_path / "c.safetensors",
    )
    twice(lambda p, **k: slottar.collect("doorkey", p, episodes=2, **k), tmp_path / "d.safetensors")


def test_folders(demos, tmp_path):
    minari = slottar.to_minari(demos, tmp_path / "doorkey-v0")
    with pytest.raises(ExistsError):
        slottar.to_minari(demos, tmp_path / "doorkey-v0")
    slottar.to_minari(demos, tmp_path / "doorkey-v0", overwrite=True)
    with pytest.raises(InvalidError, match="input"):
        slottar.load(minari).save(minari + "/", overwrite=True)
    pytest.importorskip("pyarrow")
    robot = slottar.to_lerobot(demos, tmp_path / "robot")
    with pytest.raises(FileExistsError):
        slottar.to_lerobot(demos, robot)
    slottar.to_lerobot(demos, robot, overwrite=True)
    with pytest.raises(InvalidError, match="input"):
        slottar.to_lerobot(slottar.from_lerobot(robot), robot, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["demos.safetensors", "doorkey-v0", "robot"]


def test_models(model, demos, tmp_path):
    twice(model.save, tmp_path / "m.safetensors")
    twice(lambda p, **k: model.label(demos, p, **k), tmp_path / "labelled.safetensors")
    twice(model.report, tmp_path / "page.html")


def test_inputs_are_never_written_over(model, demos, tmp_path):
    data = Path(demos.path)
    link = tmp_path / "link.safetensors"
    os.link(data, link)
    before = data.read_bytes()
    for path in (data, link):
        for write in (
            demos.save,
            lambda p, **k: model.label(demos, p, **k),
            lambda p, **k: model.report(p, **k),
            lambda p, **k: slottar.from_episodes(demos, p, **k),
        ):
            with pytest.raises(InvalidError, match="input"):
                write(path, overwrite=True)
    with pytest.raises(InvalidError, match="input"):
        model.save(model.checkpoint_, overwrite=True)
    assert data.read_bytes() == before


def test_the_ending_decides(tmp_path):
    path = tmp_path / "x.npz"
    slottar.from_arrays([[0, 1], [1, 0]], path=path)
    assert path.read_bytes()[:2] == b"PK"
    slottar.collect("doorkey", tmp_path / "y.npz", episodes=2)
    assert (tmp_path / "y.npz").read_bytes()[:2] == b"PK"
    with pytest.raises(slottar.SlottarError, match="npz"):
        slottar.collect("doorkey", tmp_path / "z.parquet", episodes=2)
