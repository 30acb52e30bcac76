#!/usr/bin/env bash
# segment without RUN: many runs vote. Continuous and discrete actions, outputs, runs that are reused or refused, signals.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
python() { # NAME: a script on standard input that must succeed
    if ! command -v python3 >/dev/null; then skip "$1" "no python3"; return; fi
    if python3 - >python.out 2>&1; then ok "$1"; else not_ok "$1"; sed 's/^/# /' python.out; fi
}
# episodes of three phases: a velocity with noise each, and the position that it leads to
moves() { # EPISODES SEED
    awk -v episodes="$1" -v seed="$2" 'BEGIN { srand(seed); print "demo,ax,ay,qx,qy"
        for (e = 0; e < episodes; e++) { x = y = 0
            for (s = 0; s < 3; s++) { n = 8 + int(6 * rand()); for (t = 0; t < n; t++) {
                vx = s == 0 ? 0.8 : s == 1 ? -0.5 : 0.1; vy = s == 0 ? 0.2 : s == 1 ? 0.9 : -0.7; x += vx / 10; y += vy / 10
                printf "%d,%.4f,%.4f,%.4f,%.4f\n", e, vx + 0.05 * (rand() - 0.5), vy + 0.05 * (rand() - 0.5), x, y } } } }'
}
moves 30 1 >moves.csv
moves 12 2 >others.csv
columns=(--actions 'a*' --observations 'q*' --episode demo)
vote() { "$SLOTTAR" segment moves.csv "${columns[@]}" --runs 8 "$@"; }

# ---- continuous actions
check "a vote" 0 vote --run a -o a.jsonl
says "what it was told" out "the vote, told nothing:"
says "the group that answers" out "* switching: 8 runs, 3.0 segments, trust "
says "how many" out "30 trajectories, mean 3.00 segments"
says "and how far to trust it" out "trust: "
python "fields of a line" <<'P'
import json
lines = [json.loads(line) for line in open("a.jsonl")]
assert [line["episode"] for line in lines] == list(range(30))
for line in lines:
    assert line["group"] == "switching" and line["segments"] == 3 and len(line["types"]) == 3, line
    assert len(line["confidence"]) == len(line["boundaries"]) == 2 and len(line["segment"]) == line["length"]
    assert all(0 <= c <= 1 for c in line["confidence"])
    assert set(line["trust"]) == {"trust", "doubtful", "calibrated", "warnings"}
    assert line["trust"]["calibrated"] is True and line["trust"]["trust"] > 0.75 and not line["trust"]["doubtful"]
# one number per kind of segment, the same in all trajectories
assert len({tuple(line["types"]) for line in lines}) == 1, {tuple(line["types"]) for line in lines}
# the velocity changes where it says
rows = [row.split(",") for row in open("moves.csv").read().split()[1:]]
for line in lines:
    signs = [(float(r[1]) > 0, float(r[2]) > 0) for r in rows if r[0] == str(line["episode"])]
    assert line["boundaries"] == [t for t in range(len(signs) - 1) if signs[t] != signs[t + 1]], line["episode"]
P
check "time lines" 0 vote --run a --show --limit 2
[ "$(grep -c '|.*|.*3 segments  confidence ' out)" = 2 ] && ok "with boundaries and confidence" || not_ok "with boundaries and confidence"
LC_ALL=C.UTF-8 check "the vote below them" 0 vote --run a --show --limit 1
python "a height per step, a full one where most runs agree" <<'P'
lines = open("out", encoding="utf-8").read().split("\n")
steps, heights = lines[0][8:].split("  ")[0], lines[1]
assert heights.startswith("  vote  ") and len(heights) == 8 + len(steps), lines
assert set(steps) <= set("ABCDEFGHIJKL|") and steps.count("|") == 2, steps
bars = [i for i, c in enumerate(steps) if c == "|"]
assert all(heights[8 + i - 1] in "▅▆▇█" and heights[8 + i] == " " for i in bars), lines
P
LC_ALL=C check "in a terminal without Unicode" 0 vote --run a --show --limit 1
grep -q '[^ -~]' out && not_ok "plain marks" || ok "plain marks"
check "quiet" 0 vote --run a --force -q -o quiet.jsonl
[ ! -s out ] && [ ! -s err ] && ok "says nothing" || not_ok "says nothing"
same "and finds the same" a.jsonl quiet.jsonl
check "aloud" 0 vote --run a --force -o loud.jsonl
says "how the vote stands" err "switching: 4 runs: trust "
says "as runs arrive" err "switching: 8 runs: trust "
check "as csv" 0 vote --run a -o a.csv
python "a row per step" <<'P'
rows = open("a.csv").read().split()
assert rows[0] == "episode,step,segment,type" and len(rows) == len(open("moves.csv").read().split())
P
check "labels back" 0 vote --run a -o back/
says "and says where" out "labelled: back/moves.csv"
check "quiet" 0 vote --run a -o back/ --force -q
if [ -s out ] || [ -s err ]; then not_ok "says nothing"; else ok "says nothing"; fi
says "in a copy of the csv" back/moves.csv "demo,ax,ay,qx,qy,segment"
python "with the segments of the lines" <<'P'
import json
labels = [row.split(",")[-1] for row in open("back/moves.csv").read().split()[1:]]
assert labels == [str(s) for line in open("a.jsonl") for s in json.loads(line)["segment"]]
P
mkdir -p robot/meta && echo '{}' >robot/meta/info.json
check "a LeRobot folder" 1 "$SLOTTAR" segment robot -o labelled/
says "is read by Python" err "robot: a LeRobot folder; Python reads it: python -m slottar segment robot -o labelled/"
check "told the number" 0 vote prior=3 --run told -o told.jsonl
says "it says so" out "the vote, told 3:"
check "a prior that is none" 1 vote prior=many --run no/where/none
[ ! -e no ] && ok "leaves no folder" || not_ok "leaves no folder"
says "with the forms there are" err "a range (3..6)"

# ---- the run
cp a/members.safetensors members
check "the same command again" 0 vote --run a -o again.jsonl
same "gives the same segments" a.jsonl again.jsonl
same "from the same members" members a/members.safetensors
check "two threads" 0 vote --run two -o two.jsonl --threads 2
same "give the same members" members two/members.safetensors
check "other options" 1 vote --run a --seed 1
says "are refused with what they were" err "runs=8 seed=0 "
says "and what they are" err "runs=8 seed=1 "
same "and keep what is there" members a/members.safetensors
check "another prior" 1 vote --run a prior=3
says "is named" err "prior=3"
check "more runs" 1 "$SLOTTAR" segment moves.csv "${columns[@]}" --runs 9 --run a
says "are named" err "runs=9"
check "--force" 0 vote --run a --seed 1 --force
cmp -s members a/members.safetensors && not_ok "learns again" || ok "learns again"
check "and back" 0 vote --run a --force
same "to the same members" members a/members.safetensors
cp moves.csv kept.csv
moves 30 9 >moves.csv
check "other data under the same name" 1 vote --run a
says "is noticed" err "data_crc32c="
same "and keeps what is there" members a/members.safetensors
cp kept.csv moves.csv
check "the data that it was" 0 vote --run a
check "new trajectories" 0 "$SLOTTAR" segment a others.csv "${columns[@]}" -o others.jsonl
says "are answered by the members" out "12 trajectories, mean 3.00 segments"
check "the file of members" 0 "$SLOTTAR" segment a/members.safetensors others.csv "${columns[@]}" -o file.jsonl
same "answers the same" others.jsonl file.jsonl
check "other columns" 1 "$SLOTTAR" segment a others.csv --actions 'a*' --observations '' --episode demo
says "do not fit" err "observations of 0 numbers, the segmenter knows 2"
check "eval of it" 0 "$SLOTTAR" eval a back/moves.csv "${columns[@]}" --split train --json
says "is a vote that was told nothing" out '"model":"vote","told":"nothing"'
python "and agrees with the labels that it wrote" <<'P'
import json
run = json.load(open("out"))["runs"][0]
assert run["f1"] == run["ari"] == 1, run
P

# ---- looking at it
check "info of the run" 0 "$SLOTTAR" info a
says "what it learned from" out "members that vote, learned from moves.csv?actions=a*"
says "what it is for" out "2 numbers per action and observations of 2 numbers"
says "its groups" out "* switching: 8 runs, 3.0 segments, trust "
says "what it was told" out "told nothing"
check "info of the file" 0 "$SLOTTAR" info a/members.safetensors
says "is the same" out "* switching: 8 runs, 3.0 segments, trust "
check "info as JSON" 0 "$SLOTTAR" info told --json
python "has all of it" <<'P'
import json
vote = json.load(open("out"))
assert vote["kind"] == "vote" and vote["told"] == "3" and vote["data"].startswith("moves.csv?"), vote
assert vote["actions"] == {"kind": "continuous", "count": 2} and vote["observation"] == 2
(group,) = vote["groups"]
assert group["name"] == "switching" and group["chosen"] and group["runs"] == 8
assert vote["trust"]["trust"] == group["trust"] and vote["trust"]["warnings"] == []
assert 1 <= sum(a["runs"] for a in group["answers"]) <= 8, group
P
check "a report of it" 0 "$SLOTTAR" report a -o page.html --figures figures
says "shows all episodes" page.html "Shown: 30 trajectories, "
says "its trust" page.html "<b>Trust 0."
says "and its group" page.html "<th scope=\"row\">switching <small>answers</small></th><td>8</td>"
for figure in episode agreement; do [ -s figures/$figure.svg ] && ok "figure $figure" || not_ok "figure $figure"; done
[ "$(grep -o 'class="channel line' figures/episode.svg | wc -l)" = 4 ] && ok "with a line and a key per channel" || not_ok "with a line and a key per channel"
says "named" figures/episode.svg ">ay</text>"
[ ! -e figures/answers.svg ] && ok "no other answers to draw" || not_ok "no other answers to draw"
check "a report of the file" 0 "$SLOTTAR" report a/members.safetensors -o file.html
python "the data in the page" <<'P'
import base64, json, re, zlib
page = json.loads(re.search(r'id="data">(.*?)</script>', open("page.html").read(), re.S)[1])
unpack = lambda p: zlib.decompress(base64.b64decode(p["zlib"]))
(set_,), (run,) = page["sets"], page["runs"]
lines = [json.loads(line) for line in open("a.jsonl")]
assert set_["action_size"] == 2 and set_["action_names"] == ["ax", "ay"] and "actions" not in set_["trajectories"]
assert set_["detail"]["channels"]["width"] == 2 and set_["detail"]["channels"]["cells"]["count"] == 2 * sum(l["length"] for l in lines)
assert run["model"] == "vote" and run["vote"]["groups"][0]["name"] == "switching" and run["vote"]["told"] == "nothing"
assert abs(run["trust"]["trust"] - lines[0]["trust"]["trust"]) < 1e-4
heights, at = unpack(run["detail"]["heights"]), 0
least, laws = 255 * run["detail"]["line"], unpack(run["trajectories"]["laws"])
assert len(laws) == sum(l["segments"] for l in lines) and set(laws) == {0, 1, 2}, set(laws)
for line in lines:
    mine = heights[at:at + line["length"]]
    at += line["length"]
    assert [t for t, h in enumerate(mine) if h + 0.5 >= least] == line["boundaries"], line["episode"]
P
mkdir broken && head -c 1000 a/members.safetensors >broken/members.safetensors
check "info of a damaged file" 1 "$SLOTTAR" info broken
says "names it" err "broken/members.safetensors"

# ---- refusals
check "events in continuous actions" 1 vote kind=events --run e
says "are none" err "kind=events is for discrete actions"
check "a kind that is none" 2 vote kind=nonsense
says "with those there are" err "kind=nonsense: auto, events, phases, windows or mdl"
check "too few runs" 2 "$SLOTTAR" segment moves.csv "${columns[@]}" --runs 3
says "with the bounds" err "from 4 to 1000"
check "too many runs" 2 "$SLOTTAR" segment moves.csv "${columns[@]}" --runs 1001
check "runs with a RUN" 2 "$SLOTTAR" segment a moves.csv "${columns[@]}" --runs 8
check "a group that did not vote" 1 vote --run a --group events
says "is named" err "no group 'events' voted"
check "an answer that is none" 2 vote --run a --answer 4
check "the first answer" 0 vote --run a --answer 1 -o first.jsonl
check "one that nobody gave" 1 vote --run a --answer 3
says "with how many there are" err "no answer 3: group switching has 1"
awk -F, 'NR == 1 { print } NR > 1 { print $1 ",0.5,0.5," $4 "," $5 }' moves.csv >still.csv
check "actions that never change" 1 "$SLOTTAR" segment still.csv "${columns[@]}" --runs 8 --run still
says "have no segments" err "the actions never change"

# ---- discrete actions
"$SLOTTAR" collect doorkey --split 60,20,20 -o doors.safetensors -q >/dev/null
check "discrete actions" 0 "$SLOTTAR" segment doors.safetensors --runs 6 --run doors -o doors.jsonl
says "have events" out " events: 6 runs, "
says "and phases" out " phases: 6 runs, "
[ "$(grep -c '^\* ' out)" = 1 ] && ok "of which one answers" || not_ok "of which one answers"
group=$(sed -n 's/^\* \([a-z]*\):.*/\1/p' out)
[ "$(grep -c "\"group\":\"$group\"" doors.jsonl)" = 100 ] && ok "in every line" || not_ok "in every line"
for kind in events phases; do
    check "kind=$kind" 0 "$SLOTTAR" segment doors.safetensors kind=$kind --runs 6 --run $kind -o $kind.jsonl
    says "asks one group" out "* $kind: 6 runs, "
    [ "$(grep -cE '(events|phases): 6 runs, ' out)" = 1 ] && ok "alone" || not_ok "alone"
done
check "slottar-mdl" 0 "$SLOTTAR" segment doors.safetensors kind=mdl --runs 4 --run mdl -o mdl.jsonl
says "votes where it is asked" out "* mdl: 4 runs, "
check "its members" 0 "$SLOTTAR" segment mdl/members.safetensors doors.safetensors -o mdl-again.jsonl
same "answer the same" mdl.jsonl mdl-again.jsonl
echo '{"action": 0}' >step
check "a stream" 1 bash -c '"$0" segment mdl --follow <step' "$SLOTTAR"
says "takes one model" err "a vote of slottar-mdl cannot follow a stream"
check "slottar-mdl on continuous actions" 1 vote kind=mdl --run none
says "is for discrete ones" err "kind=mdl is for discrete actions"
check "info of discrete ones" 0 "$SLOTTAR" info doors
says "has both groups" out " phases: 6 runs, "
says "and says what for" out "7 actions and observations of "
check "the other group" 0 "$SLOTTAR" segment doors doors.safetensors --group phases -o other.jsonl
says "answers when it is asked for" out "* phases: 6 runs, "
check "and" 0 "$SLOTTAR" segment doors doors.safetensors --group events -o events-too.jsonl
[ "$(grep -c '"group":"events","answer":0,"answers":\[{"runs":' events-too.jsonl)" = 100 ] && ok "in every line" || not_ok "in every line"
check "eval of its run" 0 "$SLOTTAR" eval doors
says "has scores" out "vote"
check "a bound on time" 0 "$SLOTTAR" segment doors.safetensors --seconds 1 --runs 1000 --run quick -q -o quick.jsonl
check "a run of continuous actions" 1 "$SLOTTAR" segment a doors.safetensors
says "is for those" err "continuous"

# ---- periodic motion: five joints that swing at another rate, as far and in another order in every segment of about 110 steps
awk 'BEGIN { srand(7); print "demo,a0,a1,a2,a3,a4"; for (k = 0; k < 4; k++) { rate[k] = 0.15 + 0.1 * k; for (i = 0; i < 5; i++) { size[k, i] = 0.2 + rand(); lead[k, i] = 6 * rand() } }
    for (e = 0; e < 12; e++) { p = 6 * rand(); law = int(4 * rand()); T = 0; for (s = 0; s < 5; s++) { n = 80 + int(60 * rand()); T += n; print e, T - 1 >"gait.ends"
        for (t = 0; t < n; t++) { p += rate[law] * (0.9 + 0.2 * rand()); printf "%d", e
            for (i = 0; i < 5; i++) printf ",%.3f", size[law, i] * sin(p + lead[law, i]) + 0.2 * (rand() - 0.5); print "" }
        law = (law + 1 + int(3 * rand())) % 4 } } }' >gait.csv
gait=(gait.csv --actions 'a*' --observations '' --episode demo)
check "windows of motion" 0 "$SLOTTAR" segment "${gait[@]}" kind=windows --runs 12 --run gait -o gait.jsonl
says "vote" out "* windows: 12 runs, "
python "and find the segments, not the periods" <<'P'
import json
found = [json.loads(line)["boundaries"] for line in open("gait.jsonl")]
ends = [[] for _ in found]
for line in open("gait.ends"):
    ends[int(line.split()[0])].append(int(line.split()[1]))
hits = sum(any(abs(b - t) <= 20 for b in f) for f, e in zip(found, ends) for t in e[:-1])
f1 = 2 * hits / (sum(map(len, found)) + sum(len(e) - 1 for e in ends))
assert f1 > .85, f1
P
says "and say how close they are" out "Boundaries are between windows: they and their confidence are within 5 steps"
check "the same members" 0 "$SLOTTAR" segment gait/members.safetensors "${gait[@]}" -o gait-again.jsonl
same "find the same" gait.jsonl gait-again.jsonl
echo '{"action": [0, 0, 0, 0, 0]}' >step
check "a stream" 1 bash -c '"$0" segment gait --follow <step' "$SLOTTAR"
says "cannot look ahead" err "take the group switching"
check "windows of short episodes" 1 vote kind=windows --run none
says "have no room" err "kind=windows needs episodes of 400 steps"
check "windows of discrete actions" 1 "$SLOTTAR" segment doors.safetensors kind=windows --run none
says "are none" err "kind=windows is for continuous actions"

# ---- what an event is: not the steps forward that are most of an episode (DoorKey), not the ends of a search (Craft)
for set in doorkey craft-partial; do
    "$SLOTTAR" collect $set --split 150,30,50 -o $set.npz -q >/dev/null
    check "events of $set" 0 "$SLOTTAR" segment $set.npz kind=events --runs 6 --run $set -q -o $set.jsonl
    check "scored" 0 "$SLOTTAR" eval $set --json
    python "are the labelled ones" <<'P'
import json
assert json.load(open("out"))["mean"]["f1_one"] > .99
P
done

# ---- several answers: chains with and without effects see other ends
awk 'BEGIN { srand(5); print "episode,action,x"
    for (e = 0; e < 80; e++) { x = 0; for (k = 0; k < 3; k++) { n = 3 + int(5 * rand()); d = rand() < 0.5 ? "left" : "right"
        for (i = 0; i < n; i++) { if (rand() < 0.25) print e ",knock," x; print e "," d "," x++ }
        print e ",grab," x; x += 100; m = 2 + int(3 * rand()); for (i = 0; i < m; i++) print e ",down," x++; print e ",drop," x; x += 100 } } }' >modes.csv
check "two readings" 0 "$SLOTTAR" segment modes.csv kind=events --runs 30 --run modes -o modes.jsonl
check "info of them" 0 "$SLOTTAR" info modes --json
python "words of every answer" <<'P'
import json
answers = json.load(open("out"))["groups"][0]["answers"]
assert len(answers) >= 2, answers
assert answers[0]["words"].startswith("ends after "), answers
assert all(a["words"] and a["words"] != answers[0]["words"] for a in answers[1:]), answers
assert any(name in a["words"] for a in answers[1:] for name in ("grab", "drop", "left", "right", "down", "knock")), answers
line = json.loads(open("modes.jsonl").readline())
assert [a["words"] for a in line["answers"]] == [a["words"] for a in answers] and line["answer"] == 0
P
says "in the summary" <("$SLOTTAR" info modes) "    answer 2: "
check "drawn below each other" 0 "$SLOTTAR" segment modes modes.csv --show --limit 2
[ "$(grep -cE '^     [12]  [-|]+  [0-9]+ segments$' out)" = 4 ] && ok "each with its segments" || not_ok "each with its segments"
check "the second" 0 "$SLOTTAR" segment modes modes.csv --answer 2 -o second.jsonl
cmp -s <(sed 's/,"group".*//' modes.jsonl) <(sed 's/,"group".*//' second.jsonl) && not_ok "is another one" || ok "is another one"
says "and says so" second.jsonl '"answer":2,'
check "a report of them" 0 "$SLOTTAR" report modes -o modes.html --figures drawn
says "lists them" modes.html '<ol class="answers"><li><b>'
says "in words" modes.html "<bdi>ends after "
[ "$(grep -o '>episode [0-9]*<' drawn/answers.svg | wc -l)" = 4 ] && ok "draws them for four trajectories" || not_ok "draws them for four trajectories"

# ---- runs by default: more where other runs would change boundaries
awk 'BEGIN { srand(1); print "episode,action"; for (e = 0; e < 20; e++) for (t = 0; t < 20; t++) print e "," int(4 * rand()) }' >random.csv
check "actions at random" 0 "$SLOTTAR" segment random.csv kind=phases --run random -o random.jsonl
says "leave boundaries to chance" err " % of the boundaries would change with other runs: 60 more"
says "so there are more runs" out "* phases: 120 runs, "
check "as many as are asked for" 0 "$SLOTTAR" segment random.csv kind=phases --runs 60 --run exactly -o exactly.jsonl
says "are exactly that" out "* phases: 60 runs, "
check "asked for where more were" 1 "$SLOTTAR" segment random.csv kind=phases --runs 60 --run random
says "they are refused" err "runs=auto seed=0 "
check "a stream" 0 bash -c 'echo "{\"action\": 0}" | "$0" segment random --follow' "$SLOTTAR"

# ---- told a number: no other is possible, though runs that are told nothing agree on four
"$SLOTTAR" collect unlockpickup --split 60,10,10 -q -o rooms.safetensors
check "told a number" 0 "$SLOTTAR" segment rooms.safetensors prior=3 kind=events --runs 6 --split test -o rooms.jsonl
[ "$(grep -c '"segments":3,' rooms.jsonl)" = 10 ] && ok "every trajectory has it" || not_ok "every trajectory has it"

# ---- stopped
stopped() { # SECONDS RUN DATA OPTIONS...
    local pause=$1 run=$2; shift 2
    "$SLOTTAR" segment "$@" --runs 1000 --run "$run" -o "$run.jsonl" >out 2>err &
    local pid=$!
    sleep "$pause"; kill -INT $pid; wait $pid
}
check "stopped with runs that ended" 130 stopped 2 stop moves.csv "${columns[@]}"
says "says that they are kept" err "the runs that ended are saved"
check "the same command" 0 "$SLOTTAR" segment moves.csv "${columns[@]}" --runs 1000 --run stop -o stop.jsonl
grep -qE '^\* switching: [0-9]{1,3} runs' out && ok "answers with them" || not_ok "answers with them"
awk 'BEGIN { srand(5); print "episode,action"; for (e = 0; e < 80; e++) for (k = 0; k < 8; k++) { r = int(3 * rand())
    printf "%d,%s\n%d,%s\n", e, r == 0 ? "left" : r == 1 ? "right" : "down", e, r == 0 ? "grab" : r == 1 ? "push" : "pull" } }' >turns.csv
check "segments of two steps" 0 "$SLOTTAR" segment turns.csv kind=events --runs 12 --run turns -o turns.jsonl
says "are warned of" out "Segments have one or two steps on average"
moves 2000 3 >many.csv
check "stopped before enough ended" 130 stopped 0.5 early many.csv "${columns[@]}" --threads 1
says "says that nothing is" err "nothing is saved"
[ ! -e early/members.safetensors ] && [ ! -e early.jsonl ] && ok "and nothing is" || not_ok "and nothing is"
plan
