#!/usr/bin/env bash
# Packages: builds without HDF5 and CBLAS say so; wheels are made right; linked libraries have licences.
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR") tree=$(cd "$(dirname "$0")/../.." && pwd)
unset SLOTTAR_HDF5

# what is optional
check "a build without HDF5 and CBLAS" 0 cmake -S "$tree" -B small -DSLT_HDF5=OFF -DSLT_BLAS=OFF -DSLT_MPI=OFF -DSLT_CUDA=OFF
says "says that there is no HDF5" out "HDF5: none"
says "nor CBLAS" out "CBLAS: none"
make -C small help 2>/dev/null | grep -q slottar_hdf5 && not_ok "and has no helper" || ok "and has no helper"
check "products by a CBLAS that is not there" 1 cmake -S "$tree" -B none -DSLT_GEMM=blas -DSLT_BLAS=OFF
says "say what to install" err "libopenblas-serial-dev"
mkdir alone && cp "$SLOTTAR" alone/
"$SLOTTAR" collect doorkey --split 4,2,2 -o demos.hdf5 -q >/dev/null
check "HDF5 without its helper" 1 alone/slottar info demos.hdf5
says "names it" err "slottar-hdf5, which is missing: build slottar with libhdf5"
check "the version" 0 "$SLOTTAR" --version
says "says what the build has" out "HDF5: 1."

# linked libraries
command -v python3 >/dev/null || { skip "wheels and licences" "no python3"; plan; }
if [ -z "$(sed -n 's/^SLT_SANITIZE:STRING=//p' "$build/CMakeCache.txt")" ]; then
    check "linked libraries" 0 "$tree/tools/sbom" "$build"
    grep -qE '^jansson +[0-9.-]+ +MIT +shared +libslottar.so, slottar, slottar-hdf5$' out && ok "have versions and licences" || { not_ok "have versions and licences"; sed 's/^/# /' out; }
    check "as CycloneDX" 0 "$tree/tools/sbom" --json "$build"
    python3 -c 'import json; assert {"zlib", "HDF5"} <= {part["name"] for part in json.load(open("out"))["components"]}' && ok "which is JSON" || not_ok "which is JSON"
else skip "linked libraries" "sanitizers"; fi
mkdir empty && check "of nothing" 1 "$tree/tools/sbom" empty

# a wheel of a library that is next to nothing, but uses jansson
[ -f /usr/share/doc/libhdf5-dev/copyright ] || { skip "a wheel" "not Debian"; plan; }
mkdir -p tiny/slottar
echo '#include <jansson.h>
int slt_tiny(void); int slt_tiny(void) { return json_is_null(json_null()); }' >tiny.c
${CC:-cc} -shared -fPIC tiny.c -o tiny/slottar/libslottar.so -ljansson -Wl,-rpath,'$ORIGIN'
check "a wheel" 0 python3 "$tree/tools/pack_wheels.py" tiny one
says "carries what it needs" out "carries libjansson.so.4"
check "the same again" 0 python3 "$tree/tools/pack_wheels.py" tiny two
cmp -s one/*.whl two/*.whl && ok "has the same bytes" || not_ok "has the same bytes"
ls one | grep -qE '^slottar-[0-9.]+-py3-none-manylinux_2_[0-9]+_(x86_64|aarch64)\.whl$' && ok "is named by its platform" || not_ok "is named by its platform"
check "and holds what it records" 0 python3 -c '
import base64, glob, hashlib, zipfile
wheel = zipfile.ZipFile(glob.glob("one/*.whl")[0])
(record,) = [name for name in wheel.namelist() if name.endswith("/RECORD")]
lines = [line.split(",") for line in wheel.read(record).decode().split()]
assert sorted(line[0] for line in lines) == sorted(wheel.namelist())
for name, digest, size in lines[:-1]:
    data = wheel.read(name)
    assert int(size) == len(data)
    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
info = record.split("/")[0]
assert "slottar = slottar_command:main" in wheel.read(info + "/entry_points.txt").decode()
assert "Requires-Python: >=3.9" in wheel.read(info + "/METADATA").decode()
assert {"slottar/libjansson.so.4", "slottar/__init__.py", info + "/licenses/libjansson4.txt"} <= set(wheel.namelist())'
${CC:-cc} -shared -fPIC tiny.c -o tiny/slottar/libslottar.so -ljansson -Wl,-rpath,'$ORIGIN:'
check "a path that is the current folder" 1 python3 "$tree/tools/pack_wheels.py" tiny three
says "is refused" err "looks for libraries in ''"
plan
