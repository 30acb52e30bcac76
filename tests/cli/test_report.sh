#!/usr/bin/env bash
# slottar report: its numbers are those of eval, its data can be read, hostile names are text, figures
# are SVG, files that are wrong are refused. (test_report_page.sh opens it in a browser.)
. "$(dirname "$0")/tap.sh"
small="hidden=8 slot_size=8 heads=2 batch=16 epochs=2"
train() { "$SLOTTAR" train slottar "$1" $small -o "$2" -q "${@:3}" >/dev/null; }
lacks() { if grep -qF -- "$3" "$2"; then not_ok "$1"; else ok "$1"; fi; }
page_data() { sed -n '/id="data">/,/<\/script>/p' "$1" | sed 's/.*id="data">//; s/<\/script>.*//'; }

# three kinds of steps, one after the other: learnt within a second
awk 'BEGIN { srand(7); print "episode,action,segment,split,task"
    for (e = 0; e < 160; e++) { part = e % 8 == 7 ? 2 : e % 16 == 6 ? 1 : 0
        for (k = 0; k < 3; k++) { n = 2 + int(rand() * 4); for (i = 0; i < n; i++) print e ",step" k "," k "," part "," e % 2 } } }' >simple.csv
learn="hidden=16 slot_size=16 batch=16 epochs=14 lr=0.005 slots=4 early_stop=loss"
train simple.csv a $learn
train simple.csv b $learn --seed 1
check "a page" 0 "$SLOTTAR" report a b -o page.html --figures figures --json
says "says what it wrote" out '"runs":2,"trajectories":20,"left_out":0,"detailed":20'
says "names what differs between the runs" page.html '<th scope="col" class="options">Differs in</th>'
says "of each" page.html '<td class="options">seed=1</td>'
train simple.csv faster $learn lr=0.01
"$SLOTTAR" report a faster -o options.html -q >/dev/null
says "an option that differs" options.html '<td class="options">lr=0.005</td>'
says "has both values" options.html '<td class="options">lr=0.01</td>'
cut -d, -f1,2,4 simple.csv >plain.csv # no labels
train plain.csv plain $learn
"$SLOTTAR" report plain -o plain.html -q >/dev/null
lacks "without labels there is no column of F1" plain.html 'data-score="f1"'
lacks "and no dash in a table" plain.html '–</td>'
lacks "nor in a tile" plain.html '<b>–</b>'
says "but the accuracy" plain.html 'data-score="accuracy"'
lacks "one run has nothing to differ in" plain.html 'class="options"'
"$SLOTTAR" eval a b --json >eval.json
page_data page.html >data.json
if command -v python3 >/dev/null; then
    cat >compare.py <<'P'
import base64, json, struct, sys, zlib
page, judged = json.load(open("data.json")), json.load(open("eval.json"))
keys = ["f1", "f1_one", "align", "ari", "covering", "accuracy", "forward", "backward"]
assert page["format"] == "slottar-report-1" and len(page["runs"]) == 2
for ours, theirs in zip(page["runs"], judged["runs"]):
    assert ours["run"] == theirs["run"] and ours["split"] == theirs["split"] and ours["episodes"] == theirs["episodes"]
    assert ours["counts"] == theirs["counts"], (ours["counts"], theirs["counts"])
    assert ours["f1"] > 0 or ours["run"] == "b" # a finds something
    for key in keys: assert abs(ours[key] - theirs[key]) < 1e-8, (key, ours[key], theirs[key])
for rule, theirs in judged["baselines"].items():
    for key in keys[:5]: assert abs(page["sets"][0]["baselines"][rule][key] - theirs[key]) < 1e-8, (rule, key)

# the packed arrays are what the data set and `segment` say
def unpack(p):
    kind = {"u8": "B", "u16": "H", "i32": "i", "f32": "f"}[p["type"]]
    values = struct.unpack("<%d%s" % (p["count"], kind), zlib.decompress(base64.b64decode(p["zlib"])))
    return list(values)
said = [json.loads(line) for line in open("a.jsonl")]
every, run = page["sets"][0]["trajectories"], page["runs"][0]
assert unpack(every["episode"]) == [line["episode"] for line in said]
assert unpack(every["length"]) == [line["length"] for line in said]
ids, at = unpack(run["trajectories"]["ids"]), 0
sure, boundary = unpack(run["trajectories"]["confidence"]), 0
for line in said:
    mine = ids[at:at + line["length"]]
    assert [t for t in range(len(mine) - 1) if mine[t] != mine[t + 1]] == line["boundaries"], line
    for value in line["confidence"]:
        assert abs(sure[boundary] / 255 - value) < 0.0021
        boundary += 1
    at += line["length"]
assert at == len(ids) and boundary == len(sure)
f1 = unpack(run["trajectories"]["f1"])
assert abs(sum(f1) / len(f1) - run["f1"]) < 1e-6
detail, slots = page["sets"][0]["detail"], run["detail"]["slots"]
lengths = [unpack(every["length"])[i] for i in detail["index"]]
masks = unpack(run["detail"]["masks"])
assert len(masks) == sum(lengths) * slots == len(unpack(run["detail"]["attention"]))
# the slot with the largest mask is the one that is named
assert max(range(slots), key=lambda k: (masks[k * lengths[0]], -k)) == ids[sum(unpack(every["length"])[:detail["index"][0]])]
P
    "$SLOTTAR" segment a simple.csv --split test -o a.jsonl
    check "numbers and arrays are those of eval and segment" 0 python3 compare.py
    check "figures are XML" 0 python3 -c 'import glob, xml.dom.minidom as x; print([x.parse(f) for f in glob.glob("figures/*.svg")])'
else
    skip "numbers and arrays are those of eval and segment" "no python3"
    skip "figures are XML" "no python3"
fi
for figure in losses scores priors counts offsets durations trust quality slots masks; do
    [ -s figures/$figure.svg ] && ok "figure $figure" || not_ok "figure $figure"
done
cat figures/*.svg >all.svg
lacks "colours are filled in" all.svg "var(--"
lacks "no number is missing" all.svg "nan"
[ "$(grep -oE '(src|href|url)[=(]["'\'']?[a-z]+:' page.html | wc -l)" = 0 ] && ok "nothing is fetched" || not_ok "nothing is fetched"
check "the same again" 0 "$SLOTTAR" report a b -o again.html
cmp -s page.html again.html && ok "gives the same bytes" || not_ok "gives the same bytes"

# everything comes from files: no model is needed where segments.safetensors has the answers
mv a/best.safetensors kept
check "without the model" 0 "$SLOTTAR" report a b -o again.html --force
cmp -s page.html again.html && ok "the same page" || not_ok "the same page"
check "another split needs it" 1 "$SLOTTAR" report a --split valid -o other.html
says "and says so" err "best.safetensors"
mv kept a/best.safetensors
check "another split" 0 "$SLOTTAR" report a --split valid -o other.html --json
says "is shown" out '"trajectories":10'
check "another data set" 0 "$SLOTTAR" report a b --data simple.csv --detailed 5 -o other.html --json --force
says "with fewer pictures" out '"detailed":5'
check "a checkpoint alone" 0 "$SLOTTAR" report a/best.safetensors --data simple.csv -o other.html --force
check "figures alone" 0 "$SLOTTAR" report a --figures only
[ -s only/slots.svg ] && ok "are there" || not_ok "are there"

# worlds: the view from the observations, and the whole world where the replay agrees
"$SLOTTAR" collect craft-full --split 24,4,9 -o craft.safetensors -q >/dev/null
"$SLOTTAR" collect doorkey --split 24,4,5 --single-delimiter -o single.safetensors -q >/dev/null
train craft.safetensors c epochs=1
train single.safetensors d epochs=1
check "worlds" 0 "$SLOTTAR" report c d -o worlds.html --figures worlds
for figure in tasks access; do [ -s worlds/$figure-1.svg ] && ok "figure $figure" || not_ok "figure $figure"; done
[ ! -e worlds/tasks-2.svg ] && ok "but not where actions were renamed" || not_ok "but not where actions were renamed"
if command -v python3 >/dev/null; then
    page_data worlds.html >data.json
    cat >worlds.py <<'P'
import base64, json, zlib
craft, single = json.load(open("data.json"))["sets"]
def agents(detail, film):
    looks = [chr(mark) if front == 1 else " " for mark, front, back in detail["looks"]]
    cells = zlib.decompress(base64.b64decode(film["cells"]["zlib"]))
    size = film["width"][0] * film["height"][0]
    assert len(cells) == detail["text"]["count"] * size # a frame per step
    return [[looks[c] for c in cells[i:i + size] if looks[c] in "^>v<"] for i in range(0, len(cells), size)]
assert set(craft["detail"]["worlds"]["width"]) == {10} and set(craft["detail"]["views"]["width"]) == {5}
for detail, film in [(craft["detail"], "worlds"), (craft["detail"], "views"), (single["detail"], "views")]:
    assert all(len(found) == 1 for found in agents(detail, detail[film])), film
assert "worlds" not in single["detail"] # pickup became toggle: the replay sees something else
assert any("carries wood" in text for text in craft["detail"]["texts"])
P
    check "one agent in every frame" 0 python3 worlds.py
else skip "one agent in every frame" "no python3"; fi

# models with masks but no attention, and without slots, from what training left and asked again
"$SLOTTAR" train compile single.safetensors hidden=8 batch=16 segments=3 epochs=1 -o masked -q >/dev/null
"$SLOTTAR" train ompn craft.safetensors hidden=8 batch=16 epochs=1 -o slotless -q >/dev/null
for split in test valid; do
    check "three models, two data sets, $split" 0 "$SLOTTAR" report c masked slotless --split $split -o models.html --force
    page_data models.html | sed 's/,"detail":{/\n&/g' | grep -o '^,"detail":{"slots":.*' >details
    [ "$(sed 's/^,"detail":{"slots":\([0-9]*\).*/\1/' details | tr '\n' ' ')" = "5 3 0 " ] && ok "and their slots" || not_ok "and their slots"
    [ "$(grep -c '"masks":' details) $(grep -c '"attention":' details)" = "2 1" ] && ok "masks of two, attention of one" || not_ok "masks of two, attention of one"
done

# other observations: numbers, each in its own range
awk 'BEGIN { print "episode,action,x,y"; for (e = 0; e < 30; e++) for (t = 0; t < 4; t++) print e "," t % 2 "," t / 2 ",7" }' >numbers.csv
train numbers.csv e slots=2 prior=2 epochs=1
check "observations of numbers" 0 "$SLOTTAR" report e -o numbers.html
if command -v python3 >/dev/null; then
    page_data numbers.html >data.json
    check "are kept" 0 python3 -c 'import base64,json,zlib; v = json.load(open("data.json"))["sets"][0]["detail"]["values"]; assert v["width"] == 2 and v["low"] == [0, 7] and v["high"] == [1.5, 7], v; assert zlib.decompress(base64.b64decode(v["cells"]["zlib"])) == bytes([0, 0, 85, 0, 170, 0, 255, 0] * 3)'
else skip "are kept" "no python3"; fi

# names that want to be code; no labels, no observations, no splits
evil='</script><script>document.title=1</script>'
rtl=$(printf 'a\342\200\256b')
{
    echo 'episode,action'
    for e in $(seq 1 40); do for t in 1 2 3 4 5; do
        case $(((e + t) % 3)) in 0) echo "$e,\"$evil\"" ;; 1) echo "$e,\"it\"\"s & <b>'x'\"" ;; 2) echo "$e,$rtl" ;; esac
    done; done
} >"evil<i>.csv"
hostile="run<img src=x onerror=alert(1)>\"'&$rtl"
train "evil<i>.csv" "$hostile" slots=3 prior=2
check "hostile names" 0 "$SLOTTAR" report "$hostile" -o evil.html --figures evil
lacks "end no script" evil.html "$evil"
lacks "start no element" evil.html "<img src=x"
lacks "are no markup in the file's name" evil.html "evil<i>"
lacks "turn no text round" evil.html "$(printf '\342\200\256')"
says "but are seen" evil.html 'run&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;aU+202Eb'
[ "$(grep -c '</script>' evil.html)" = 2 ] && ok "two scripts" || not_ok "two scripts"
if command -v python3 >/dev/null; then
    page_data evil.html >data.json
    check "and are kept" 0 python3 -c 'import json,sys; d=json.load(open("data.json")); assert sys.argv[1] in d["sets"][0]["action_names"] and d["runs"][0]["run"] == sys.argv[2] and d["runs"][0]["f1"] is None' "$evil" "$hostile"
else skip "and are kept" "no python3"; fi

# what is refused
cp -r a broken
head -c 3000 a/segments.safetensors >broken/segments.safetensors
check "a cut file" 1 "$SLOTTAR" report broken -o none.html
says "with its name" err "broken/segments.safetensors"
[ ! -e none.html ] && ok "and no page" || not_ok "and no page"
cp b/segments.safetensors broken/
grep -v "^159," simple.csv >fewer.csv
sed -i 's/simple.csv/fewer.csv/' broken/config.yaml
check "segments of other trajectories" 1 "$SLOTTAR" report broken -o none.html
says "in words" err "other trajectories"
cp a/config.yaml broken/
if command -v python3 >/dev/null; then
    # the first mask of a run, as given
    cat >mask.py <<'P'
import json, struct, sys
data = bytearray(open("a/segments.safetensors", "rb").read())
size = struct.unpack("<Q", data[:8])[0]
at = 8 + size + json.loads(data[8:8 + size])["masks"]["data_offsets"][0]
data[at:at + 4] = struct.pack("<f", float(sys.argv[1]))
open("broken/segments.safetensors", "wb").write(data)
P
    for value in -1e-6 1.000001; do
        python3 mask.py $value
        check "a mask of $value, by rounding" 0 "$SLOTTAR" report broken --figures rounded --force
    done
    for value in -0.1 1.1 nan; do
        python3 mask.py $value
        check "a mask of $value" 1 "$SLOTTAR" report broken --figures none
        says "is none" err "'masks' holds something else than probabilities"
    done
else skip "masks beside 0 and 1" "no python3"; fi
cp a/segments.safetensors a/config.yaml broken/ && echo '{"epoch":' >>broken/metrics.jsonl
check "broken metrics" 1 "$SLOTTAR" report broken -o none.html
says "with the file" err "metrics.jsonl"
sed -i '$d' broken/metrics.jsonl
printf '%s\n' '{"epoch":3,"train_loss":1e308,"valid_loss":-1e308}' '{"epoch":1e300,"valid_loss":1}' '{"epoch":4,"train_loss":99999999.00000001,"valid_loss":99999999}' '{"epoch":5,"valid_loss":0.50000000000000011}' >>broken/metrics.jsonl
check "wild numbers" 0 timeout 120 "$SLOTTAR" report broken -o wild.html --figures wild
cat wild/losses.svg wild/scores.svg >wild.svg
lacks "are left out" wild.svg "e+"
mkdir empty
check "no run" 1 "$SLOTTAR" report empty -o none.html
says "says what is missing" err "config.yaml"
check "nowhere to go" 2 "$SLOTTAR" report a
check "no such split" 2 "$SLOTTAR" report a -o none.html --split tset
check "a folder that is not there" 1 "$SLOTTAR" report a -o nowhere/page.html
plan
