#!/usr/bin/env bash
# slottar train-expert: a policy from the command line, stopped and taken up again, and as an expert.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
small="copies=32 steps=16 minibatches=2 eval_interval=8 hidden=32 eval_episodes=20 frames=16000 goal=2 worlds="
world=MiniGrid-Empty-Random-5x5-v0
tool=$(cd "$(dirname "$0")/../.." && pwd)/lab/skill-tables

check "a policy" 0 "$SLOTTAR" train-expert $world $small -q -o a.safetensors
says "says how far it came" out "a.safetensors: 16384 frames in 4 laps, goal not reached"
says "and how it plays" out "over 1000 fresh episodes"
check "a line per lap" 0 test "$(grep -c '^{"epoch":' a.jsonl)" = 4
check "finished: judged again" 0 "$SLOTTAR" train-expert $world $small -q -o a.safetensors --json
says "as JSON" out '{"file":"a.safetensors","laps":4,"frames":16384,"reached":false,"seconds":'
says "with the test" out '"test":{"episodes":1000,"return":0.'
check "under its own name" 0 "$SLOTTAR" train-expert $world $small -q frames=4096
check "is there" 0 test -s $world-policy.safetensors
check "small" 0 test "$(stat -c %s a.safetensors)" -lt 2000000

# stopped by a signal after the first lap, whenever that is
"$SLOTTAR" train-expert $world $small frames=1000000 -q -o b.safetensors >out 2>err & pid=$!
while [ ! -s b.safetensors ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -TERM $pid; wait $pid; code=$?
if [ $code = 75 ]; then ok "stopped with 75"; else not_ok "stopped with 75"; echo "# $code"; fi
says "says how to go on" err "run the same command to resume"
check "another recipe is refused" 2 "$SLOTTAR" train-expert $world $small frames=1000000 lr=0.01 -o b.safetensors
says "with what differs" err "lr=0.001, now lr=0.01"
check "another world too" 2 "$SLOTTAR" train-expert doorkey $small -o b.safetensors
cp a.safetensors c.safetensors
head -c 3000 a.safetensors >cut.safetensors
check "a cut file is refused" 1 "$SLOTTAR" train-expert $world $small -o cut.safetensors
says "by name" err "cut.safetensors"
same "nothing else was touched" a.safetensors c.safetensors

check "collect with it" 0 "$SLOTTAR" collect $world --expert a.safetensors --episodes 20 -o d1 --threads 1
check "on three threads" 0 "$SLOTTAR" collect $world --expert a.safetensors --episodes 20 -o d3 --threads 3
same "the same bytes" d1 d3
check "what is recorded" 0 "$SLOTTAR" info d1 --json
says "tells who played" out '"expert":"policy"'
check "a file that is no policy" 1 "$SLOTTAR" collect $world --expert d1.safetensors --episodes 5 -o e
mv d1 d1.safetensors
check "a data set is no policy" 1 "$SLOTTAR" collect $world --expert d1.safetensors --episodes 5 -o e
says "said so" err "no policy of this program"
check "Craft is not for it" 2 "$SLOTTAR" collect makebed-v0 --expert a.safetensors --episodes 5 -o e
says "said so, too" err "plays MiniGrid, not makebed-v0"

check "the options" 0 "$SLOTTAR" train-expert --options
says "with the recipes" out "MiniGrid-KeyCorridorS4R3-v0"
check "no environment" 2 "$SLOTTAR" train-expert
check "an unknown one" 2 "$SLOTTAR" train-expert nowhere
echo "my notes" >mine.jsonl
check "a log of somebody else" 1 "$SLOTTAR" train-expert $world $small -q -o mine.safetensors
says "is refused" err "mine.jsonl: exists and is no log of a policy"
says "and kept" mine.jsonl "my notes"
check "an unknown option" 2 "$SLOTTAR" train-expert doorkey lrr=1
says "with the nearest" err "lr"
check "no planner to imitate" 2 "$SLOTTAR" train-expert $world $small clone=10 -o f.safetensors
says "is said" err "no planner"

# Craft: flat, over skills, from demonstrations
craft="frames=600 copies=8 steps=8 minibatches=2 epochs=1 eval_episodes=5 eval_interval=2"
"$SLOTTAR" collect makeplankfull-v0 --split 100,10,10 -q -o demos.safetensors >/dev/null
"$SLOTTAR" skills demos.safetensors -o skills.safetensors --hidden 16 -q >/dev/null
check "flat Craft" 0 "$SLOTTAR" train-expert makeplankfull-v0 $craft -q -o flat.safetensors
says "says how it plays" out "over 1000 fresh episodes"
check "over skills" 0 "$SLOTTAR" train-expert makeplankfull-v0 --skills skills.safetensors $craft -q -o over.safetensors
check "is an expert" 0 "$SLOTTAR" collect makeplankfull-v0 --expert over.safetensors --episodes 2 -q -o played.safetensors
check "other skills are refused" 2 "$SLOTTAR" train-expert makeplankfull-v0 --preset skills sees=all $craft -q -o over.safetensors
says "by name" err "over.safetensors: this policy has other skills"
check "from demonstrations" 0 "$SLOTTAR" train-expert makeplankfull-v0 --from demos.safetensors clone_epochs=2 $craft -o cloned.safetensors
says "says how well it imitates" err "nats per held-out step"
check "not over skills" 2 "$SLOTTAR" train-expert makeplankfull-v0 --from demos.safetensors --skills skills.safetensors -o new.safetensors
check "never over the skills" 2 "$SLOTTAR" train-expert makeplankfull-v0 --skills skills.safetensors -o skills.safetensors
check "no skills" 1 "$SLOTTAR" train-expert makeplankfull-v0 --skills demos.safetensors -o new.safetensors
says "says so" err "demos.safetensors"

if ! command -v python3 >/dev/null; then skip "the tables of new tasks" "no python3"; plan; fi
check "the tables of new tasks" 0 "$tool" tables --tiny --seeds 0 --tasks makeaxe --slottar "$SLOTTAR"
says "have a row" out "| makeaxe | more than "
plan
