#!/usr/bin/env bash
# slottar play: frames of both families, recorded episodes, keys, ends, what it refuses.
. "$(dirname "$0")/tap.sh"
unset NO_COLOR
keys() { printf "$1" | "$SLOTTAR" play "${@:2}"; }                  # keys CHARACTERS ARGUMENTS...
frames() { [ "$(grep -c "$1" out)" = "$2" ] && ok "$2 frames" || { not_ok "$2 frames"; sed 's/^/# /' out; }; }
matches() { if grep -Eq -- "$2" out; then ok "$1"; else not_ok "$1"; sed 's/^/# /' out; fi; }
lacks() { if grep -q -- "$2" out; then not_ok "$1"; sed 's/^/# /' out; else ok "$1"; fi; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | sed 's/^/# /'; fi; }

# MiniGrid: the world of seed 1 is the package's
check "keys from a pipe" 0 keys 'ffq' MiniGrid-DoorKey-8x8-v0 --seed 1
frames '^step ' 3
says "the mission" out "use the key to open the door and then get to the goal"
cat >want <<'END'
MiniGrid-DoorKey-8x8-v0  seed 1  episode 1
use the key to open the door and then get to the goal
  # # # # # # # # 
  # . kyLy. . . # 
  # . . # . . . # 
  # . . # . . . # 
  # ^ . # . . . # 
  # . . # . . . # 
  # . . # . . G # 
  # # # # # # # # 
carries: nothing
step 2 of 640  action forward  reward 0  return 0

END
tail -13 out >got
same "the frame after two steps" want got
lacks "no escape codes" "$(printf '\033')"
check "keys that mean nothing make no frame" 0 keys 'xyz\001\nq' MiniGrid-DoorKey-8x8-v0
frames '^step ' 1
check "the whole task, and a key too many" 0 keys 'fffff\033[CpftffffC\033[Cfffffp' MiniGrid-DoorKey-8x8-v0 --seed 1
says "the key in the hand" out "carries: yellow key"
says "the door is open" out "# . > /y. . . #"
says "goal reached" out "step 19 of 640  action forward  reward 0.9733  return 0.9733  ended; r: again"
lacks "no step behind the end" "^step 20"
check "end of input" 0 keys '' MiniGrid-PutNear-8x8-N3-v0
frames '^step ' 1
check "a reset continues with the next layout" 0 keys 'frq' MiniGrid-Fetch-8x8-N3-v0
says "counts episodes" out "seed 0  episode 2"

# Craft
check "Craft with arrows and letters" 0 keys '\033[D\033OAl\033[B j' makebedfull-v0 --seed 3
frames '^step ' 7
says "its task" out "makebed: 0 of 4 done, next wood, toolshed, grass, workbench"
for action in left up right down use; do says "$action" out "action $action "; done
check "getting wood" 0 keys 'llkkkkklku' getwood-v0 --seed 3
says "is done" out "getwood: 1 of 1 done"
says "is carried" out "carries: wood"
says "is rewarded" out "step 10 of 64  action use  reward 1  return 1  ended; r: again"
check "time runs out" 0 keys "$(printf '%064d' 0 | tr 0 .)" getwood-v0
says "and says so" out "step 64 of 64  action done  reward 0  return 0  out of time; r: again"

# recorded
check "data" 0 "$SLOTTAR" collect doorkey --split 5,1,1 -q
check "more data" 0 "$SLOTTAR" collect craft-full --split 10,1,1 -q
check "an episode" 0 keys 'llh$q' doorkey.safetensors --episode 2
frames 'episode 2 of 7  MiniGrid-DoorKey-8x8-v0' 5
says "segments" out "     0  fp|fffrt|fffrffff"
says "what was done" out "step 1 of 15  action pickup  reward 0  segment 1 of 3"
says "what was carried" out "carries: yellow key"
says "the end" out "step 15 of 15: the end"
check "stops at both ends" 0 keys 'h$l' doorkey.safetensors
check "to other episodes" 0 keys 'nnp\033[A\033[Aq' doorkey.safetensors
says "the second" out "episode 2 of 7"
check "Craft's" 0 keys '$' craft-full.safetensors --episode 8
says "USE is a capital, up is not" out "     0  drrrrU|dllllluU|rdU|ulU"
says "made" out "carries: shears"

# a terminal: colours, another page, and the old modes afterwards
terminal() { # terminal KEYS COMMAND: on a terminal of its own; keys once the first frame is there
    {
        for i in $(seq 100); do grep -q 'q: quit' out && break; sleep 0.1; done
        printf "$1"
        sleep 0.5
    } | TERM=xterm script -qec "$2" /dev/null
}
if ! command -v script >/dev/null; then
    skip "on a terminal" "script (util-linux) is not installed"
elif ! script -qec true /dev/null </dev/null >/dev/null 2>err; then
    skip "on a terminal" "there are no terminals here: $(tail -1 err)"
else
    esc=$(printf '\033')
    check "on a terminal" 0 terminal 'lq' "'$SLOTTAR' play doorkey.safetensors --episode 2; stty -a"
    says "takes another page" out "$esc[?1049h"
    says "gives it back" out "$esc[?1049l"
    says "segments in colour" out "$esc[30;42mf$esc[0m$esc[1;4;7;30;42mp$esc[0m$esc[30;44mf"
    matches "keys are lines again" '(^| )icanon'
    matches "and are shown" '(^| )echo '
    # what bash and script make of the signal themselves differs from one to the next: any code
    terminal '\003' "bash -c \"trap : INT; '$SLOTTAR' play makebedfull-v0; echo code \\\$?; stty -a\"" >out 2>err
    says "Ctrl-C ends it" out "code 130"
    says "gives the page back too" out "$esc[?1049l"
    matches "and the keys" '(^| )icanon'
    check "without colours" 0 terminal 'q' "NO_COLOR=1 '$SLOTTAR' play MiniGrid-DoorKey-8x8-v0 --seed 1"
    says "letters" out "  # . kyLy. . . # "
fi

# refused
check "unknown environment" 1 "$SLOTTAR" play MiniGrid-DoorKey-8x8-v1
says "the nearest" err "did you mean 'MiniGrid-DoorKey-8x8-v0'?"
check "no data set" 1 "$SLOTTAR" play absent.safetensors --episode 0
check "no such episode" 1 "$SLOTTAR" play doorkey.safetensors --episode 7
says "says how many" err "there are 7"
echo nonsense >file
check "no data in the file" 1 "$SLOTTAR" play file
check "bad number" 2 "$SLOTTAR" play doorkey.safetensors --episode -1
check "nothing to play" 2 "$SLOTTAR" play
plan
