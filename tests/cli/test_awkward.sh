#!/usr/bin/env bash
# Awkward data and awkward disks: each trains, or is refused with a sentence that helps.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
small="hidden=8 slot_size=8 heads=2 batch=8 slots=3"
exec=
train() { data=$1; shift; $exec "$SLOTTAR" train slottar "$data" $small -q "$@"; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
# episodes LENGTH COLUMNS...: a csv of 30 episodes; columns are expressions of e and t
episodes() {
    awk -v length_="$1" -v names="$2" 'BEGIN { print "episode,action" names
        for (e = 1; e <= 30; e++) { n = length_ ? length_ : e % 9 + 1
            for (t = 1; t <= n; t++) print e "," '"$3"' } }'
}

# no labels, no observations
episodes 0 '' '(e * t) % 3' >plain.csv
check "no labels" 0 train plain.csv epochs=2 prior=2 -o plain
check "eval without labels" 0 "$SLOTTAR" eval plain
says "tells that they are missing" out "no labels"
check "eval without labels as JSON" 0 "$SLOTTAR" eval plain --json
says "has null for scores" out '"f1":null'
check "segment without labels" 0 "$SLOTTAR" segment plain plain.csv -o plain.jsonl
[ "$(wc -l <plain.jsonl)" = 30 ] && ok "a line per episode" || not_ok "a line per episode"
check "a stop by labels that are not there" 0 train plain.csv epochs=2 early_stop=f1_align -o stop

# one action only; episodes of one step only; both; some of each
episodes 6 '' 0 >same.csv
check "one action" 0 train same.csv epochs=2 -o same
episodes 1 '' 'e % 3' >short.csv
check "one step" 0 train short.csv epochs=2 -o short
check "segments of one step" 0 "$SLOTTAR" segment short short.csv
[ "$(grep -c '"boundaries":\[\],"segment":\[0\]' out)" = 30 ] && ok "are one each" || not_ok "are one each"
episodes 1 '' 0 >least.csv
check "one action in one step" 0 train least.csv epochs=2 -o least
says "has a finite loss" least/metrics.jsonl '"train_loss":'
grep -qi 'nan\|inf' least/metrics.jsonl && not_ok "and no NaN" || ok "and no NaN"

# longer than the maximum
check "longer than length" 1 train plain.csv length=5 -o long
says "names the longest" err "longest episode has 9 steps"
says "and what to set" err "set length=9"
check "as long as length" 0 train plain.csv length=9 epochs=1 -o exact
episodes 12 '' '(e * t) % 3' >longer.csv
check "segment what is longer" 1 "$SLOTTAR" segment plain longer.csv
says "names the episode" err "episode 0 has 12 steps, the model takes 10"
says "and the option" err "length=12"

# what the model does not know
episodes 6 '' '(e * t) % 5' >actions.csv
check "unknown actions" 1 "$SLOTTAR" segment plain actions.csv
says "names the action" err "has action 4, the model knows 0 to 2"
episodes 6 ',x' '(e * t) % 3 "," t / 7' >seen.csv
train seen.csv epochs=1 -o seen >/dev/null
check "observations that are missing" 1 "$SLOTTAR" segment seen plain.csv
says "tells both" err "observations of 0 numbers, the model takes 1"

# observations that are no numbers
episodes 6 ',x' '(e * t) % 3 "," (e == 4 && t == 2 ? "nan" : t)' >nan.csv
check "NaN observations" 1 train nan.csv -o nan
says "names the place" err "nan.csv:21: column 'x': 'nan' is no number"
episodes 6 ',x' '(e * t) % 3 "," (e == 4 && t == 2 ? "inf" : t)' >inf.csv
check "infinite observations" 1 train inf.csv -o inf

# more segments than slots, fewer episodes than a batch, one episode
episodes 6 ',segment' '(e * t) % 3 "," t - 1' >many.csv
check "more segments than slots" 1 train many.csv -o many
says "names how many" err "set slots=6"
check "with a prior of one's own" 0 train many.csv prior=3 epochs=1 -o many
head -7 many.csv >single.csv
check "one episode" 0 train single.csv prior=3 epochs=2 -o single
episodes 6 ',segment' '(e * t) % 3 ",-1"' >unknown.csv
check "labels that are all unknown" 0 train unknown.csv epochs=1 -o unknown

# priors: what the checkpoint says of them
prior() { # prior FORM NUMBERS...
    form=$1; shift
    check "prior=$form" 0 "$SLOTTAR" train slottar "${data:-plain.csv}" hidden=8 slot_size=8 heads=2 batch=8 slots=4 epochs=1 prior=$form -o "prior-$form" -q
    grep -ao '"prior":"[^"]*"' "prior-$form/best.safetensors" | cut -d'"' -f4 | tr ' ' '\n' >got
    printf '%s\n' "$@" >want
    if paste got want | awk '{ d = $1 - $2; if (NF != 2 || d > 1e-9 || d < -1e-9) bad = 1 } END { exit bad || NR != 4 }'
    then ok "is $*"; else not_ok "is $*"; sed 's/^/# /' got; fi
}
data=
prior 0,0,.3,.7 1e-4 1e-4 0.3 0.7
prior 4 1e-4 1e-4 1e-4 0.9997
prior flat 0.25 0.25 0.25 0.25
prior .6,.4 0.6 0.4 1e-4 1e-4
check "prior=2,1 is no list of probabilities" 1 "$SLOTTAR" train slottar plain.csv slots=4 epochs=1 prior=2,1 -o weights -q
prior auto 0.25 0.25 0.25 0.25
# two thirds of the episodes with one segment, one third with two
episodes 6 ',segment' '(e * t) % 3 "," (e % 3 == 0 && t > 3)' >labels.csv
rm -rf prior-auto
share=$(awk -F, 'NR > 1 && ($1 - 1) % 10 < 8 { n[$1]; if ($3) two[$1] } END { printf "%.15g", length(two) / length(n) }' labels.csv)
data=labels.csv prior auto $(awk -v s="$share" 'BEGIN { printf "%.12f %.12f 1e-4 1e-4", 1 - s + 1e-4, s + 1e-4 }')
check "prior=9 of 3 slots" 1 train plain.csv prior=9 -o p
says "names the option" err "prior: "
says "and the slots" err " 3"
check "prior=1,1,1,1 of 3 slots" 1 train plain.csv prior=1,1,1,1 -o p
says "tells how many" err " 3 slots"
check "prior=1,x" 1 train plain.csv prior=1,x -o p
says "tells what is wanted" err "list of probabilities"
check "prior=-1,2" 1 train plain.csv prior=-1,2 -o p

# a file that may not grow stands for a full disk: the same write fails
"$SLOTTAR" collect craft-full --split 64,8,8 -o data.safetensors -q >/dev/null
exec=exec train data.safetensors slots=5 epochs=50 patience=50 -o run >/dev/null 2>&1 &
pid=$!
while [ ! -s run/metrics.jsonl ]; do sleep 0.05; done
kill -TERM $pid; wait $pid
cp run/last.safetensors last; cp run/metrics.jsonl lines
on() { train data.safetensors slots=5 epochs=50 patience=50 -o run; }
limited() (ulimit -f 60; on)
check "a full disk" 1 limited
says "names the file" err "run/"
says "tells what is wrong" err "could not write"
says "and that it can go on" err "run the same command to resume"
same "the last checkpoint is whole" run/last.safetensors last
[ -z "$(ls run | grep -v '^\(last\|best\)\.safetensors$\|^config.yaml$\|^metrics.jsonl$\|^events')" ] && ok "nothing is left lying about" || not_ok "nothing is left lying about"
limited_collect() (ulimit -f 20; "$SLOTTAR" collect craft-full --split 64,8,8 -o full.safetensors -q)
check "a full disk while collecting" 1 limited_collect
[ ! -e full.safetensors ] && ok "leaves no file" || not_ok "leaves no file"
limited_segment() (ulimit -f 1; "$SLOTTAR" segment run data.safetensors -o "$1")
for out in full.jsonl full.csv full-labels.safetensors; do
    check "a full disk while segmenting to $out" 1 limited_segment $out
    [ ! -e $out ] && ok "leaves no file" || not_ok "leaves no file"
done

# a folder that may not be written in; root obeys once it gives that right away
obey=
[ "$(id -u)" = 0 ] && obey="setpriv --bounding-set=-dac_override --inh-caps=-dac_override"
obedient() { $obey "$SLOTTAR" train slottar data.safetensors $small slots=5 epochs=50 patience=50 -q "$@"; }
chmod 555 run
if $obey true 2>/dev/null && ! $obey touch run/x 2>/dev/null; then
    check "a folder that is read-only" 1 obedient -o run
    says "names the file" err "run/"
    says "tells why" err "Permission denied"
    same "the last checkpoint is whole, too" run/last.safetensors last
    check "a new run in it" 1 obedient -o run/new
    says "names the folder" err "run/new"
else
    rm -f run/x
    skip "a folder that is read-only" "root may write everywhere and setpriv cannot take that away"
fi
chmod 755 run
check "and it resumes" 0 on
grep -q '"epoch":50,' run/metrics.jsonl && ok "to the last epoch" || not_ok "to the last epoch"

# ---- texts that would talk to the terminal
header='{"__metadata__":{"note":"\u001b[31mred\u0007\u009b"},"a\u001b[2Jb":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
while [ $(((${#header} + 8) % 64)) != 0 ]; do header="$header "; done
{ printf "\\x$(printf %02x ${#header})\\0\\0\\0\\0\\0\\0\\0"; printf '%s\0\0\0\0' "$header"; } >loud.safetensors
check "info of a file with control characters" 0 "$SLOTTAR" info loud.safetensors
says "shows them as question marks" out "a?[2Jb"
LC_ALL=C grep -q "$(printf '[\001-\010\033\177]')" out && not_ok "no control characters" || ok "no control characters"
"$SLOTTAR" train slottar "$(printf 'no\033[31mfile')" -o loud -q 2>err
LC_ALL=C grep -q "$(printf '\033')" err && not_ok "none in messages" || ok "none in messages"
plan
