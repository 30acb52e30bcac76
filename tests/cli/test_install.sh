#!/usr/bin/env bash
# An installed copy, used from outside the tree: pkg-config, headers, examples, pages, completions.
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR") tree=$(cd "$(dirname "$0")/../.." && pwd)
unset SLOTTAR_HDF5 SLOTTAR_CUDA # the installed library finds its own helper
exists() { if [ -e "$2" ]; then ok "$1"; else not_ok "$1"; echo "# no $2"; fi; }

DESTDIR=$PWD/dest cmake --install "$build" --prefix /opt/slottar >log 2>&1 && ok "install" || { not_ok "install"; sed 's/^/# /' log; plan; }
cp -a dest/opt/slottar moved # paths are relative: the tree works elsewhere
check "uninstall" 0 make -C "$tree" -s uninstall BUILD="$build" DESTDIR="$PWD/dest"
[ -z "$(find dest ! -type d)" ] && ok "leaves nothing" || not_ok "leaves nothing"
prefix=$PWD/moved slottar=$PWD/moved/bin/slottar
export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name slottar.pc)") LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libslottar.so)")
for file in include/slottar/slottar.h share/man/man1/slottar.1 share/man/man3/slottar.3 share/doc/slottar/api/index.html \
    share/bash-completion/completions/slottar share/zsh/site-functions/_slottar share/fish/vendor_completions.d/slottar.fish; do
    exists "$file" "$prefix/$file"
done

# the command, its library and its helper
check "the command" 0 env -u LD_LIBRARY_PATH "$slottar" --version
version=$(sed -n 's/^slottar //p' out)
[ "$(pkg-config --modversion slottar)" = "$version" ] && ok "pkg-config has its version" || not_ok "pkg-config has its version"
readelf -d "$LD_LIBRARY_PATH/libslottar.so" | grep -q "SONAME.*libslottar\.so\.${version%.*}\]" && ok "the library's name has a version" || not_ok "the library's name has a version"
check "collects" 0 "$slottar" collect doorkey --split 40,8,8 -o data.safetensors -q
check "writes HDF5 with the helper" 0 "$slottar" convert data.safetensors data.hdf5
check "reads it" 0 "$slottar" info data.hdf5

# headers: each alone, in C and C++, and no handle shows its inside
for header in "$prefix"/include/slottar/*.h; do
    echo "#include <slottar/$(basename "$header")>" | tee "alone_$(basename "$header" .h).c" >"alone_$(basename "$header" .h).cc"
done
check "headers in C" 0 ${CC:-cc} -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only $(pkg-config --cflags slottar) alone_*.c
if command -v c++ >/dev/null; then
    check "headers in C++" 0 c++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only $(pkg-config --cflags slottar) alone_*.cc
else skip "headers in C++" "no C++ compiler"; fi
handles=$(sed -n 's/^typedef struct \(slt_[a-z_]*\) \1;$/\1/p' "$prefix"/include/slottar/*.h)
[ "$(echo "$handles" | wc -l)" -gt 5 ] && ! grep -E "struct ($(echo $handles | tr ' ' '|')) *\{" "$prefix"/include/slottar/*.h && ok "handles are opaque" || not_ok "handles are opaque"

# examples, with a look at leaks: the address sanitizer's, or the leak sanitizer around the plain library
if nm -D "$LD_LIBRARY_PATH/libslottar.so" | grep -q __asan_; then kind=address,undefined; else kind=leak; fi
if nm -D "$LD_LIBRARY_PATH/libslottar.so" | grep -q __tsan_; then kind=thread; fi
look() { export ASAN_OPTIONS=detect_leaks=$1:verify_asan_link_order=0 LSAN_OPTIONS=detect_leaks=$1:exitcode=23; } # it takes seconds: not everywhere
look 1
echo 'int main(void) { return 0; }' >empty.c
${CC:-cc} -fsanitize=$kind empty.c -o empty 2>/dev/null && ./empty 2>/dev/null || { kind=; skip "leaks" "no sanitizer for leaks works here"; }
look 0
mine="-Wall -Wextra -Werror ${kind:+-fsanitize=$kind}"
for name in segment environments train_and_cancel control_loop; do
    check "$name compiles" 0 ${CC:-cc} -std=c11 $mine -o $name "$tree/examples/$name.c" $(pkg-config --cflags --libs slottar) -pthread
done

check "environments" 0 ./environments MiniGrid-DoorKey-8x8-v0 200
says "plays" out "200 steps in each of 64 copies"
says "draws" out "########"
check "environments that are not there" 1 ./environments Nowhere-v0
says "say so" err "Nowhere-v0"

small="hidden=8 slot_size=8 heads=2 batch=8 epochs=1000000 patience=1000000"
mkfifo enter
look 1
./train_and_cancel data.safetensors run $small <enter >out 2>err &
pid=$!
exec 3>enter
while [ ! -s run/best.safetensors ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
echo >&3; exec 3>&-
wait $pid && ok "training is cancelled from another thread" || { not_ok "training is cancelled from another thread"; sed 's/^/# /' err; }
says "reports its progress" out "epoch 1: "
says "is told so" out "training: cancelled"
[ "$(grep -c '^episode ' out)" = 8 ] && ok "and segments the test split" || not_ok "and segments the test split"
look 0
check "segment" 0 ./segment run data.hdf5
[ "$(wc -l <out)" = 56 ] && ok "a line per episode" || not_ok "a line per episode"
check "a model that is not there" 1 ./segment nowhere data.safetensors
says "is named" err "nowhere"

# find_package, shared and static; the static one by pkg-config, too
if [ -z "$kind" ] || [ "$kind" = leak ]; then
    mkdir user
    cat >user/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES C)
find_package(slottar ${WANTED} REQUIRED)
message(STATUS "HDF5 ${slottar_HDF5}, CBLAS ${slottar_CBLAS}")
add_executable(shared user.c)
target_link_libraries(shared PRIVATE slottar::slottar)
add_executable(static user.c)
target_link_libraries(static PRIVATE slottar::static)
CMAKE
    cat >user/user.c <<'C'
#include <stdio.h>
#include <slottar/slottar.h>
int main(int argc, char **argv) {
    slt_context *context;
    slt_dataset *data;
    slt_status status = slt_context_create(NULL, &context);
    if (status == SLT_OK) status = slt_dataset_open(context, argv[argc - 1], &data);
    if (status != SLT_OK) return fprintf(stderr, "%s\n", slt_last_error()), 1;
    printf("%s %lld\n", slt_version(), (long long)slt_dataset_about(data)->episodes);
    slt_dataset_close(data);
    slt_context_destroy(context);
    return 0;
}
C
    check "find_package(slottar)" 0 cmake -S user -B user/build -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}"
    says "says what the build has" out "HDF5 "
    check "programs with its targets" 0 cmake --build user/build
    check "the shared one runs" 0 ./user/build/shared data.safetensors
    says "and reads" out "$version 56"
    check "so does the static one" 0 env -u LD_LIBRARY_PATH ./user/build/static data.safetensors
    says "and reads" out "$version 56"
    if ldd user/build/static | grep -q slottar; then not_ok "without the shared library"; else ok "without the shared library"; fi
    check "another version is refused" 1 cmake -S user -B user/other -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=0.99
    check "the static one by pkg-config" 0 ${CC:-cc} user/user.c -o by-flags $(pkg-config --cflags slottar) "$LD_LIBRARY_PATH/libslottar.a" \
        $(pkg-config --static --libs slottar | sed 's/-lslottar//')
    check "runs" 0 ./by-flags data.safetensors
else skip "find_package(slottar)" "sanitizers"; fi

# pages: every command and every exported function has one, and roff finds nothing wrong with them
missing=
for name in $("$slottar" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    grep -q "^\.SH SYNOPSIS" "$prefix/share/man/man1/slottar-$name.1" || missing="$missing slottar-$name(1)"
    grep -qF "slottar\\-$name (1)" "$prefix/share/man/man1/slottar.1" || missing="$missing slottar(1):$name"
done
# but for what libslottar_cuda.so calls
inside=$(grep -rhoE '^SLT_PLUGIN [^(]*\(' "$tree/src" | grep -oE 'slt_[a-z_]+\(' | tr -d '(')
for name in $(nm -D --defined-only "$LD_LIBRARY_PATH/libslottar.so" | awk '$2 == "T" && $3 ~ /^slt_/ {print $3}' | grep -vxF "$inside"); do
    page=$(sed -n 's/^\.so //p' "$prefix/share/man/man3/$name.3")
    grep -qF "$name(" "$prefix/share/man/$page" || missing="$missing $name(3)"
    grep -qF "id=\"$name\"" "$prefix"/share/doc/slottar/api/*.html || missing="$missing $name.html"
done
[ -z "$missing" ] && ok "every command and function has its page" || { not_ok "every command and function has its page"; echo "#$missing"; }
for option in lr slots beta; do says "slottar-train(1) has $option" "$prefix/share/man/man1/slottar-train.1" "\\fB$option\\fR="; done
if command -v groff >/dev/null; then
    check "pages are clean" 0 sh -c "groff -man -ww -Tascii '$prefix'/share/man/man1/*.1 '$prefix'/share/man/man3/slottar*.3 2>&1 >pages | grep . && exit 1; exit 0"
    says "and legible" pages "slt_context_cancel"
else skip "pages are clean" "no groff"; fi

# completions
complete_in_bash() { bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slottar; echo "${COMPREPLY[@]}"' "$prefix/share/bash-completion/completions/slottar" "$@"; }
offers() { # NAME WANT WORDS...
    name=$1 want=$2; shift 2
    got=$(complete_in_bash slottar "$@")
    [ "$got" = "$want" ] && ok "$name" || { not_ok "$name"; echo "# '$got', not '$want'"; }
}
mkdir empty-folder && cd empty-folder && touch "two words"
offers "a command" "segment" seg
offers "a flag" "--restarts" train slottar --res
offers "a flag's value" "train valid test" eval --split ""
offers "the same behind =" "surprise" eval --rule = su
offers "a model" "slottar slottar-mdl" train sl
offers "a set" "doorkey" collect door
offers "an option" "epochs=" train slottar ep
offers "a file" "two words" train slottar ""
offers "nothing for a number" "" train --threads ""
cd ..
for shell in zsh fish; do
    script=$(ls "$prefix"/share/zsh/site-functions/_slottar "$prefix"/share/fish/vendor_completions.d/slottar.fish | grep $shell)
    if command -v $shell >/dev/null; then check "$shell reads its script" 0 $shell -n "$script"; else skip "$shell reads its script" "no $shell"; fi
done
if command -v fish >/dev/null; then
    check "fish completes" 0 fish -c "source '$prefix/share/fish/vendor_completions.d/slottar.fish'; complete -C 'slottar eval --split '"
    says "a flag's value" out "valid"
else skip "fish completes" "no fish"; fi

# the archive of the sources
if git -C "$tree" rev-parse HEAD >/dev/null 2>&1; then
    check "dist" 0 make -C "$tree" -s dist DIST="$PWD/one"
    check "dist again" 0 make -C "$tree" -s dist DIST="$PWD/two"
    cmp -s "one/slottar-$version.tar.gz" "two/slottar-$version.tar.gz" && ok "gives the same bytes" || not_ok "gives the same bytes"
    tar tzf "one/slottar-$version.tar.gz" >list
    says "with all that a build needs" list "slottar-$version/CMakeLists.txt"
else skip "dist" "no git repository"; fi
plan
