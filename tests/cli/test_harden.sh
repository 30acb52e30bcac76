#!/usr/bin/env bash
# What was built is hardened: position-independent, read-only tables, no code on the stack, guarded
# stacks, checked copies; it looks for libraries nowhere but next to itself; no shell, no network.
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR")
has() { if eval "$2" | grep -qE -- "$3"; then ok "$1"; else not_ok "$1"; fi; } # NAME COMMAND WORDS
lacks() { if eval "$2" | grep -E -- "$3"; then not_ok "$1"; else ok "$1"; fi; }
# folders in which libraries are looked for, but for its own and those of the system
paths() {
    readelf -dW "$1" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p' | tr : '\n' |
        grep -vxF -e '$ORIGIN' -e "$build" | grep -vE '^/(usr|opt|lib)'
}
if ! command -v readelf >/dev/null; then skip "hardened files" "no readelf"; plan; fi
if grep -q '^SLT_HARDEN:BOOL=OFF' "$build/CMakeCache.txt"; then skip "hardened files" "built with SLT_HARDEN=OFF"; plan; fi
sanitized=$(sed -n 's/^SLT_SANITIZE:STRING=//p' "$build/CMakeCache.txt")

for file in slottar libslottar.so slottar-hdf5; do
    path=$build/$file
    has "$file: any address" "readelf -hW '$path'" 'Type: +DYN'
    has "$file: read-only tables" "readelf -lW '$path'" GNU_RELRO
    has "$file: filled before the start" "readelf -dW '$path'" 'BIND_NOW|Flags:.* NOW'
    has "$file: a stack for data" "readelf -lW '$path'" 'GNU_STACK.* RW +0x'
    lacks "$file: code stays as it is" "readelf -dW '$path'" TEXTREL
    lacks "$file: libraries beside it or of the system" "paths '$path'" .
    has "$file: guarded stacks" "readelf --dyn-syms -W '$path'" '__stack_chk_(fail|guard)'
    # sanitizers check copies themselves
    [ -n "$sanitized" ] || has "$file: checked copies" "readelf --dyn-syms -W '$path'" '__(snprintf|vsnprintf|memcpy|strcpy)_chk'
    lacks "$file: no shell, no network, no global generator" "nm -D --undefined-only '$path' | sed 's/@.*//'" \
        ' (system|popen|wordexp|execlp|execvp|socket|connect|getaddrinfo|gethostbyname|rand|srand|tmpnam|mktemp|gets)$'
done
plan
