# Helpers for tests of the command: source this, call `check`, end with `plan`.
count=0 bad=0
ok() { count=$((count + 1)); echo "ok $count - $1"; }
not_ok() { count=$((count + 1)); bad=$((bad + 1)); echo "not ok $count - $1"; }
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
# check NAME EXIT-CODE COMMAND...: runs, keeps output in ./out and ./err, compares the exit code
check() {
    name=$1 want=$2; shift 2
    "$@" >out 2>err; code=$?
    if [ "$code" = "$want" ]; then ok "$name"; else not_ok "$name"; echo "# exit $code, not $want"; sed 's/^/# /' err; fi
}
# says NAME FILE WORDS: the file contains the words
says() { if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1"; echo "# '$3' not in:"; sed 's/^/# /' "$2"; fi; }
# near NAME RUN RUN: the losses of all epochs of two runs, within 1e-5
near() {
    paste <(grep -o '"train_loss":[^,]*\|"valid_loss":[^,]*' "$2/metrics.jsonl" | cut -d: -f2) \
          <(grep -o '"train_loss":[^,]*\|"valid_loss":[^,]*' "$3/metrics.jsonl" | cut -d: -f2) |
        awk 'NF != 2 { bad = 1 } { d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-5)) bad = 1; n++ } END { exit bad || n < 2 }' &&
        ok "$1" || { not_ok "$1"; tail -n 1 "$2/metrics.jsonl" "$3/metrics.jsonl" | sed 's/^/# /'; }
}
plan() { echo "1..$count"; exit $((bad > 0)); }
