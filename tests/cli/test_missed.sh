#!/usr/bin/env bash
# eval --missed-by: only the trajectories that a rule gets wrong are scored.
. "$(dirname "$0")/tap.sh"
# two segments with action 3 after each; a quarter of the test trajectories has a useless 3 in the first one
awk 'BEGIN { print "episode,action,segment,split"
    for (e = 0; e < 120; e++) { n = e % 4 + 6; m = n + e * 7 % 5 + 3; test = e >= 80
        for (t = 0; t < m; t++) print e "," (t == n - 1 || t == m - 1 || test && e % 4 == 0 && t == 1 ? 3 : t < n ? e % 3 : (e + 1) % 3) "," (t >= n) "," (test ? 2 : e >= 70) } }' >data.csv
values() { python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["episodes"], *(r[k] for k in ("f1", "f1_one", "align")))' <"$1"; }

check "a rule on all" 0 "$SLOTTAR" eval --rule delimiter data.csv --json
cp out all.json
check "on what it gets wrong" 0 "$SLOTTAR" eval --rule delimiter data.csv --missed-by delimiter --json
cp out missed.json
says "these are those with a useless action" missed.json '"episodes":10,'
if command -v python3 >/dev/null; then
    echo "$(values all.json) $(values missed.json)" | awk '{ n = $1; k = $5; if (n != 40 || k != 10) exit 1
        for (i = 2; i <= 4; i++) { d = $i * n - $(i + 4) * k - (n - k); if (d * d > 1e-10 || $(i + 4) >= 1) exit 1 } }' &&
        ok "the others are right" || not_ok "the others are right: $(values all.json), $(values missed.json)"
else skip "the others are right" "no python3"; fi
check "the other rules, too" 0 "$SLOTTAR" eval --rule uniform data.csv --missed-by delimiter --json
says "on the same trajectories" out '"episodes":10,'
check "a model" 0 "$SLOTTAR" train slottar-mdl data.csv prior=2 boundary_input=action steps=100 --restarts 2 -o run -q
check "on them" 0 "$SLOTTAR" eval run data.csv --missed-by delimiter --json
says "and on no others" out '"episodes":10,'
says "next to rules on the same" out '"baselines":{"uniform":{"told":"count","f1":'
check "a split where it is right" 1 "$SLOTTAR" eval run data.csv --missed-by delimiter --split valid
says "says so" err "gets none of its valid split wrong"
check "no such rule" 1 "$SLOTTAR" eval run data.csv --missed-by nobody
says "lists them" err "delimiter"
plan
