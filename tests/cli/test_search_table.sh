#!/usr/bin/env bash
# lab/search-table: what a search found, from its table.
. "$(dirname "$0")/tap.sh"
tool=$(cd "$(dirname "$0")/../.." && pwd)/lab/search-table
command -v python3 >/dev/null || { skip "a page" "no python3"; plan; exit; }
mkdir -p search/small
python3 - <<'P'
import json
# eight configurations, the best first: lr decides, head does not; the last one failed
rows = []
for rank in range(8):
    scores = {"f1": 1 - rank / 10, "align": 1 - rank / 20}
    rows.append({"configuration": 7 - rank, "settings": {"lr": "1e-3" if rank < 4 else "1e-2", "head": "ab"[rank % 2]}, "runs": ["x-0", "x-1", "x-2"],
                 "round": int(rank < 2), "epochs": 12 if rank < 2 else 3, "failed": "diverged" if rank == 7 else None,
                 "score": None if rank == 7 else 1 - rank / 10, "sd": None if rank == 7 else 0.01, "valid": scores, "test": scores})
json.dump({"model": "slottar", "data": "d.safetensors", "score": "f1_align", "configurations": rows}, open("search/small/table.json", "w"))
P
check "a page" 0 "$tool" search/small/table.json
says "what was searched" out "8 configurations with 3 runs each, compared by f1_align on the validation split: 6 left in round 1 (epochs: up to 3), 2 left in round 2 (epochs: up to 12); 1 failed."
says "the best" out "| 1 | lr=1e-3 head=a | 12 | 100.00 (1.00) | 100.00 | 100.00 | 100.00 | 100.00 |"
! grep -q "^| 8 |" out && ok "those that failed have no row" || not_ok "those that failed have no row"
# by hand: ranks 1 to 4 and 5 to 8; of 70 ways to choose four of eight, two lie as far apart
says "what matters" out "| \`lr\` | 1e-3: 4, 2.5, 2; 1e-2: 4, 6.5, 0 | 0.0"
says "and what does not" out "| \`head\` | a: 4, 4.0, 1; b: 4, 5.0, 1 | 0."
for run in 0 1 2; do mkdir -p search/small/0007-$run; echo "{\"failed\":false,\"best_epoch\":$run,\"test\":{\"f1\":0.${run}5,\"align\":0.5}}" >search/small/0007-$run/trial.0.json; done
echo '{"failed":false,"best_epoch":9,"test":{"f1":0.95,"align":0.5}}' >search/small/0007-2/trial.1.json
check "runs" 0 "$tool" --runs search/small
says "of their last round" out '"best_epoch": 9'
sed -i 's/"x-/"0007-/g' search/small/table.json
cp out search/small/runs.json
check "a page with runs" 0 "$tool" search/small/table.json
says "how they are spread" out "Test F1 of the 3 runs: mean 38.33; 7 at 90 or more, all runs of 0 configurations;"
says "how late they are at their best" out "Best epoch after 60: 0 runs."
says "those of the best" out "Runs of the first configuration: 5.00, 15.00, 95.00."
check "nothing to read" 1 "$tool"
plan
