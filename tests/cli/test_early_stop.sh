#!/usr/bin/env bash
# Which epoch is kept: the one with the lowest held-out loss, without labels, or the one with the best
# scores against labels; training ends `patience` epochs after it.
. "$(dirname "$0")/tap.sh"
small="hidden=8 slot_size=8 heads=2 batch=16 lr=0.02 epochs=40 patience=3"
"$SLOTTAR" collect craft-full --split 64,16,16 -o data.safetensors -q >/dev/null
# the best epoch by metrics.jsonl: best RUN EXPRESSION-OVER-FIELDS; the first of equals
best() {
    sed 's/[{}"]//g; s/,/ /g' "$1/metrics.jsonl" | awk '{ for (i = 1; i <= NF; i++) { split($i, p, ":"); v[p[1]] = p[2] }
        s = '"$2"'; if (NR == 1 || s > most) { most = s; e = v["epoch"] } } END { print e, NR }'
}
kept() { sed 's/.*"epochs":\([0-9]*\),"best_epoch":\([0-9]*\),.*/\2 \1/' "$1/result.json"; }
rule() { # rule NAME EXPRESSION
    check "early_stop=$1" 0 "$SLOTTAR" train slottar data.safetensors $small early_stop="$1" -o "$1" -q
    want=$(best "$1" "$2") got=$(kept "$1")
    [ "$got" = "$want" ] && ok "keeps its best epoch" || { not_ok "keeps its best epoch"; echo "# $got, not $want"; }
    set -- $got
    [ "$2" = $(($1 + 3)) ] || [ "$2" = 40 ] && ok "ends behind it" || { not_ok "ends behind it"; echo "# $got"; }
}
rule loss '-v["valid_loss"]'
rule f1_align 'v["valid_f1"] + v["valid_align"]'
[ "$(kept loss)" != "$(kept f1_align)" ] && ok "the two differ" || not_ok "the two differ"

# the best epoch is what eval and segment use
check "eval" 0 "$SLOTTAR" eval loss --split valid --json
f1=$(sed 's/.*"runs":\[{[^}]*"f1":\([0-9.]*\).*/\1/' out)
set -- $(kept loss)
line=$(grep "^{\"epoch\":$1," loss/metrics.jsonl | sed 's/.*"valid_f1":\([0-9.]*\).*/\1/')
awk -v a="$f1" -v b="$line" 'BEGIN { exit !(a - b < 1e-6 && b - a < 1e-6) }' && ok "scores the epoch that was kept" ||
    { not_ok "scores the epoch that was kept"; echo "# $f1, not $line"; }

# without labels the loss decides, whatever was asked for
awk 'BEGIN { print "episode,action"; for (e = 1; e <= 40; e++) for (t = 1; t < 9; t++) print e "," (e * t) % 3 }' >plain.csv
for rule in loss f1_align; do
    "$SLOTTAR" train slottar plain.csv $small slots=3 early_stop=$rule epochs=5 -o plain-$rule -q >/dev/null
done
[ -n "$(kept plain-loss)" ] && [ "$(kept plain-loss)" = "$(kept plain-f1_align)" ] && ok "no labels: the loss decides" || not_ok "no labels: the loss decides"
plan
