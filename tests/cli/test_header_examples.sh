#!/usr/bin/env bash
# The example in every public header compiles without a warning, and runs without leaving an error.
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR") tree=$(cd "$(dirname "$0")/../.." && pwd)
if [ -n "$(sed -n 's/^SLT_SANITIZE:STRING=//p' "$build/CMakeCache.txt")" ]; then skip "examples of headers" "sanitizers"; plan; fi

names=
for header in "$tree"/include/slottar/*.h; do
    name=$(basename "$header" .h)
    sed '/^#ifndef/q' "$header" | sed -n 's|^//     ||p' >"$name.example"
    if [ -s "$name.example" ]; then names="$names $name"; else not_ok "$name.h has an example"; fi
done
{
    for name in $names; do echo "static void example_$name(void) {"; cat "$name.example"; echo "}"; done
    echo "static const struct { const char *name; void (*run)(void); } examples[] = {"
    for name in $names; do echo "    {\"$name\", example_$name},"; done
    echo "};"
} >examples.inc
check "examples compile" 0 ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Wno-unused -Wno-shadow -I. -I"$tree/include" "$tree/tests/header_examples.c" \
    -o examples -L"$build" -lslottar -Wl,-rpath,"$build"
[ -x examples ] || plan

"$SLOTTAR" collect craft-full --split 40,8,8 -o demos.safetensors -q
"$SLOTTAR" train slottar demos.safetensors hidden=8 slot_size=8 heads=2 epochs=1 -o runs/a -q >/dev/null
cp -r runs/a runs/b
"$SLOTTAR" train slottar-mdl demos.safetensors prior=4 epochs=1 -o runs/mdl -q >/dev/null
"$SLOTTAR" skills demos.safetensors --hidden 8 -o skills.safetensors -q >/dev/null
for name in $names; do
    case $name in
        train | sweep | policy) check "$name.h, until it is cancelled" 1 ./examples "$name"; says "by us" err "left: stopped on request" ;;
        status) check "status.h" 1 ./examples status; says "says what it shows" err "missing.npz: $(python3 -c "import os; print(os.strerror(2))")" ;;
        context) ./examples context >out 2>err; says "context.h" out "4 threads, c" ;; # auto leaves its reason
        report) ./examples report >out 2>err; [ -s report.html ] && ok "report.h" || not_ok "report.h" ;; # it asks rules that refuse
        *) check "$name.h" 0 ./examples "$name" ;;
    esac
done
plan
