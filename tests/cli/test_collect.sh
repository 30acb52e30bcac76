#!/usr/bin/env bash
# slottar collect: data sets from the command line, and what it refuses.
. "$(dirname "$0")/tap.sh"
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
gone() { if [ -z "$(ls -d $2* 2>/dev/null)" ]; then ok "$1"; else not_ok "$1"; ls -d $2* | sed 's/^/# /'; fi; }

check "a named set under its own name" 0 "$SLOTTAR" collect craft-full --split 30,3,3
says "says what was recorded" out "craft-full.safetensors: 36 episodes (train 30, valid 3, test 3)"
check "is there" 0 test -s craft-full.safetensors
check "not twice" 1 "$SLOTTAR" collect craft-full --split 30,3,3
says "says why and what to do" err "--force"
cp craft-full.safetensors first
check "unless forced" 0 "$SLOTTAR" collect craft-full --split 30,3,3 -f
same "the same again" first craft-full.safetensors
for set in craft-full craft-partial doorkey unlockpickup blockedunlockpickup keycorridor; do
    for n in 1 2 3; do
        check "$set with $n threads" 0 "$SLOTTAR" collect $set --split 150,20,10 --noise 0.02 --threads $n -o $set.$n
    done
    same "$set: 1 and 2 threads" $set.1 $set.2
    same "$set: 1 and 3 threads" $set.1 $set.3
done
check "another seed" 0 "$SLOTTAR" collect craft-full --split 30,3,3 --seed 1 -o other
check "is another file" 1 cmp -s first other

check "JSON" 0 "$SLOTTAR" collect doorkey --split 20,2,1 -o d --json
says "with the counts" out '{"file":"d","episodes":23,"split":{"train":20,"valid":2,"test":1},"steps":'
says "and the rejections" out '"candidates":23,"rejected":{"stuck":0,"timeout":0,"failed":0,"overlong":0,"segments":0},"seconds":{"playing":'
check "several environments" 0 "$SLOTTAR" collect makebed-v0 getwood-v0 --obs full --episodes 5 -o mix
says "five in all" out "mix: 5 episodes (train 5, valid 0, test 0)"
check "random play" 0 "$SLOTTAR" collect MiniGrid-Fetch-5x5-N2-v0 --expert random --episodes 4 -o r
check "one delimiter" 0 "$SLOTTAR" collect doorkey --single-delimiter --truth reference --episodes 4 -o s

check "episodes of four segments" 0 "$SLOTTAR" collect keycorridor --segments 4 --episodes 40 -o four --json
grep -qE '"overlong":[0-9]+,"segments":[1-9]' out && ok "others are rejected" || not_ok "others are rejected"
check "none is left" 0 "$SLOTTAR" info four --json
says "all of them" out '"segments":{"least":4,"most":4,'

refuse() { # NAME WORDS ARGUMENTS...: wrong usage that leaves nothing behind
    name=$1 words=$2; shift 2
    check "$name" 2 "$SLOTTAR" collect "$@" -o refused
    says "$name: says so" err "$words"
    gone "$name: no file" refused
}
refuse "unknown environment" "no environment 'nowhere'" nowhere
refuse "noise above 1" "share from 0 to 1, not '1.5'" doorkey --noise 1.5
refuse "noise that is no number" "not 'much'" doorkey --noise much
refuse "no episode" "whole number from 1" doorkey --episodes 0
refuse "no episode in any split" "asks for no episode" doorkey --split 0,0,0
refuse "four splits" "10000,1000,1000" doorkey --split 1,2,3,4
refuse "a split of words" "10000,1000,1000" doorkey --split many
refuse "both sizes" "not both" doorkey --split 5 --episodes 5
refuse "more than the split's seeds" "seeds for 1000000" doorkey --episodes 1000001
refuse "no segments" "whole number from 1" doorkey --segments 0
refuse "unknown expert" "bot, random or FILE" doorkey --expert nobody
refuse "unknown truth" "effects, reference or natural" doorkey --truth mine
refuse "a world the bot does not know" "cannot play" MiniGrid-Fetch-5x5-N2-v0
refuse "worlds that do not fit" "do not fit" makebed-v0 MiniGrid-Unlock-v0
check "several environments without a name" 2 "$SLOTTAR" collect makebed-v0 makeaxe-v0
check "a folder that is not there" 1 "$SLOTTAR" collect doorkey --episodes 3 -o nowhere/d
says "named" err "nowhere/d"
mkdir folder
check "a folder in the way" 1 "$SLOTTAR" collect doorkey --episodes 3 -f -o folder
check "which stays empty" 0 rmdir folder
gone "with nothing beside it" folder

"$SLOTTAR" collect keycorridor --episodes 900000 -q -o long >out 2>err &
sleep 0.3
kill -INT $!
wait $!
if [ $? = 130 ]; then ok "Ctrl-C"; else not_ok "Ctrl-C"; sed 's/^/# /' err; fi
gone "leaves no file" long
check "help with examples" 0 "$SLOTTAR" collect --help
says "names the sets" out "craft-partial"
plan
