#!/usr/bin/env bash
# A search of 24 trials by two workers, one of them killed in the middle, then everything killed and
# started again: each trial is finished once, and the table is that of an undisturbed search.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
data=$PWD/data.safetensors
"$SLOTTAR" collect craft-full --split 48,16,16 -o "$data" -q >/dev/null
search() { # FOLDER
    mkdir -p "$1"; cd "$1" || exit 1
    exec "$SLOTTAR" sweep slottar "$data" -o s -q --threads 1 hidden=8 slot_size=8 heads=2 batch=16 epochs=2 \
        lr=1e-3,2e-3,5e-3,1e-2 beta=0.1,0.5,1 search=grid seeds=2
}
done_in() { ls "$1/s/tickets" 2>/dev/null | grep -c 'done$'; }
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | head -5; fi; }
# until NUMBER PID: so many trials are done, or the worker has ended
until_done() { while [ "$(done_in shared)" -lt "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }

(search whole) >whole.txt 2>/dev/null
[ "$(done_in whole)" = 24 ] && ok "24 trials" || not_ok "24 trials, not $(done_in whole)"

# what a trial wrote when it was done is what it has at the end
stamp() { (cd "$1/s" && stat -c '%n %Y %i' 00*/result.json 2>/dev/null | sort); }

(search shared) >/dev/null 2>&1 & one=$!
(search shared) >/dev/null 2>&1 & two=$!
until_done 4 $one
kill -KILL $one; wait $one 2>/dev/null; [ $? = 137 ] && ok "the first worker is killed" || not_ok "the first worker is killed"
until_done 12 $two
[ "$(done_in shared)" -ge 12 ] && ok "the second continues" || not_ok "the second continues"
kill -KILL $two; wait $two 2>/dev/null; [ $? = 137 ] && ok "then everything is killed" || not_ok "then everything is killed"
before=$(done_in shared)
[ "$before" -lt 24 ] && ok "before the end ($before)" || not_ok "before the end"
ls shared/s/tickets | grep 'done$' | sed 's/[.].*//' | sort >finished
stamp shared | grep -Ff finished | sort >stamps

(search shared) >one.txt 2>/dev/null & one=$!
(search shared) >two.txt 2>/dev/null & two=$!
wait $one && ok "the first worker ends" || not_ok "the first worker ends"
wait $two && ok "the second worker ends" || not_ok "the second worker ends"
same "the table of an undisturbed search" whole.txt one.txt
same "in both of them" whole.txt two.txt
same "and as a file" whole/s/table.json shared/s/table.json
[ "$(done_in shared) $(ls shared/s/tickets | wc -l)" = "24 24" ] && ok "each trial is done once" || not_ok "each trial is done once"
stamp shared | grep -Ff finished | sort >after
same "what was finished was not made again" stamps after
lines=$(cat shared/s/00*/metrics.jsonl | wc -l)
[ "$lines" = 48 ] && ok "two epochs in each" || not_ok "two epochs in each: $lines lines"
same "to the last bit" whole/s/0007-1/best.safetensors shared/s/0007-1/best.safetensors
plan
