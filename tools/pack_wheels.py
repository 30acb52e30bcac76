"""Makes wheels of an installed tree, with Python's own library alone: pack_wheels.py TREE OUT

TREE is what python/CMakeLists.txt installs. libslottar_cuda.so becomes the wheel slottar-cuda, all else, with the
packages that pyproject.toml names, the wheel slottar. Libraries that not every Linux has are copied next to the
files that need them, which look there (SLT_WHEEL). The platform tag says the oldest glibc that has all the symbols
that the files need.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import base64
import hashlib
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Dict, List

try:
    import tomllib
except ModuleNotFoundError:  # before 3.11
    from pip._vendor import tomli as tomllib

TOP = Path(__file__).parents[1]
# manylinux allows these on every machine (PEP 600); cuBLAS comes from nvidia-cublas
SYSTEM = r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux-[^.]*)\.so\.\d+"
CUBLAS = r"libcublas(Lt)?\.so\.\d+"
# texts of the licences of what a wheel carries or has linked in, by the names of Debian's packages
LICENCES = ("libjansson4", "libyaml-0-2", "zlib1g", "libhdf5-dev", "libaec-dev")
CUDA_NOTE = '"""The CUDA device of the package slottar, which finds it next to itself."""\n'


def version() -> str:
    text = (TOP / "include/slottar/version.h").read_text()
    return ".".join(re.findall(r"define SLT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def objdump(flag: str, path: Path) -> str:
    return subprocess.run(["objdump", flag, path], check=True, capture_output=True, text=True).stdout


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def check_paths(path: Path) -> None:
    """Libraries are looked for in places relative to the file, or of the system."""
    for listed in re.findall(r"R(?:UN)?PATH +(\S*)", objdump("-p", path)):
        for one in listed.split(":"):
            if not one.startswith(("$ORIGIN", "/usr/local/cuda")):
                sys.exit(f"{path} looks for libraries in '{one}'")


def carried(files: List[Path], allowed: str) -> List[Path]:
    """The libraries that the files need and that not every Linux has."""
    found: Dict[str, Path] = {}
    for path in filter(is_elf, files):
        listed = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        for name, where in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x|$)", listed, re.M):
            if re.fullmatch(allowed, name):
                continue
            if not Path(where).is_file():
                sys.exit(f"{path} needs {name}, which is not here")
            found[name] = Path(where)
    return [found[name] for name in sorted(found)]


def platform_tag(files: List[Path]) -> str:
    """manylinux_2_N_MACHINE, true for all the files."""
    newest = 17  # the oldest tag that pip knows
    for path in filter(is_elf, files):
        check_paths(path)
        newest = max([newest, *map(int, re.findall(r"GLIBC_2\.(\d+)", objdump("-T", path)))])
    return f"manylinux_2_{newest}_{platform.machine()}"


def metadata(name: str, project: Dict, requires: List[str], readme: str) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version()}"]
    lines += [f"Summary: {project['description']}", f"License: {project['license']}"]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    lines += [f"Requires-Dist: {one}" for one in requires]
    for extra, packages in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {one} ; extra == "{extra}"' for one in packages]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def write_wheel(out: Path, name: str, tag: str, files: Dict[str, bytes], programs: List[str]) -> None:
    """files by their names in site-packages; the same content gives the same bytes."""
    stem = f"{name.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: tools/pack_wheels.py\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    files[f"{info}/WHEEL"] = wheel.encode()
    files[f"{info}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    record = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    path = out / f"{stem}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, content in files.items():
            entry = zipfile.ZipInfo(inside, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if inside in programs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(f"{path}  {path.stat().st_size / 2**20:.1f} MiB")


def main() -> None:
    tree, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    with (TOP / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    project = settings["project"]
    built = sorted(path for path in tree.rglob("*") if path.is_file())
    device = [path for path in built if path.name == "libslottar_cuda.so"]
    own = [path for path in built if path not in device]
    programs = [str(path.relative_to(tree)) for path in own if path.suffix != ".py"]

    files = {str(path.relative_to(tree)): path.read_bytes() for path in own}
    libraries = carried(own, SYSTEM)
    files.update({f"slottar/{path.name}": path.read_bytes() for path in libraries})
    print("carries", *(path.name for path in libraries))
    for package in settings["tool"]["scikit-build"]["wheel"]["packages"]:
        for path in sorted((TOP / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                files[str(path.relative_to((TOP / package).parent))] = path.read_bytes()
    info = f"slottar-{version()}.dist-info"
    readme = (TOP / project["readme"]).read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = metadata("slottar", project, project["dependencies"], readme).encode()
    for package in LICENCES:
        text = Path("/usr/share/doc", package, "copyright")
        files[f"{info}/licenses/{package}.txt"] = text.read_bytes()
    bom = subprocess.run([TOP / "tools/sbom", "--json", tree], check=True, capture_output=True)
    files[f"{info}/sboms/slottar.cdx.json"] = bom.stdout
    scripts = "\n".join(f"{name} = {call}" for name, call in project["scripts"].items())
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}\n".encode()
    write_wheel(out, "slottar", platform_tag([*own, *libraries]), files, programs)

    if device:
        objects = [one for one in re.findall(r"NEEDED +(\S+)", objdump("-p", device[0])) if not re.fullmatch(f"{SYSTEM}|{CUBLAS}", one)]
        if objects:
            sys.exit(f"libslottar_cuda.so needs {' '.join(objects)}")
        (cublas,) = set(re.findall(r"libcublas\.so\.(\d+)", objdump("-p", device[0])))
        requires = [f"slottar=={version()}", f"nvidia-cublas>={cublas},<{int(cublas) + 1}"]
        of_device = {**project, "optional-dependencies": {}, "description": "The CUDA device of slottar"}
        note = "The CUDA device of slottar: `pip install slottar[cuda]`.\n"
        files = {
            "slottar_cuda/__init__.py": CUDA_NOTE.encode(),
            "slottar_cuda/libslottar_cuda.so": device[0].read_bytes(),
            f"slottar_cuda-{version()}.dist-info/METADATA": metadata("slottar-cuda", of_device, requires, note).encode(),
        }
        write_wheel(out, "slottar-cuda", platform_tag(device), files, ["slottar_cuda/libslottar_cuda.so"])


if __name__ == "__main__":
    main()
