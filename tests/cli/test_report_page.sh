#!/usr/bin/env bash
# The page of slottar report in a real browser: numbers, keys, filters, themes, layout at three widths
# and on paper, hostile names, no messages, no requests. Screenshots for the eye go to
# BUILD/screenshots.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd) shots=$(dirname "$SLOTTAR")/screenshots
driver=$(dirname "$SLOTTAR")/tests/browser_driver
for browser in chromium chromium-browser none; do command -v $browser >/dev/null && $browser --version >/dev/null 2>&1 && break; done
if [ $browser = none ]; then
    skip "the page in a browser" "no chromium that runs: apt-get install chromium"
    plan
fi
mkdir -p "$shots"

small="hidden=8 slot_size=8 heads=2 batch=16"
"$SLOTTAR" collect craft-full --split 48,12,40 -o craft.safetensors -q >/dev/null
"$SLOTTAR" collect doorkey --split 24,8,12 -o doorkey.safetensors -q >/dev/null
evil='</script><script>document.title=1</script>'
rtl=$(printf 'a\342\200\256b')
{
    echo 'episode,action'
    for e in $(seq 1 40); do for t in 1 2 3 4 5 6; do
        case $(((e + t) % 3)) in 0) echo "$e,\"$evil\"" ;; 1) echo "$e,<b onclick=x>" ;; 2) echo "$e,$rtl" ;; esac
    done; done
} >"$rtl<i>.csv"
awk 'BEGIN { srand(7); print "episode,action,segment,split,task,x,y"
    for (e = 0; e < 160; e++) { split_ = e % 4 == 3 ? 2 : 0
        for (k = 0; k < 3; k++) { n = 2 + int(rand() * 4); for (i = 0; i < n; i++) print e ",step" k "," k "," split_ "," e % 2 "," i "," 2 * k } } }' >simple.csv
"$SLOTTAR" train slottar simple.csv hidden=16 slot_size=16 heads=2 batch=16 epochs=14 lr=0.005 slots=4 early_stop=loss -o d -q >/dev/null
"$SLOTTAR" train slottar craft.safetensors $small epochs=3 -o a -q >/dev/null
"$SLOTTAR" train slottar craft.safetensors $small epochs=3 --seed 1 -o b -q >/dev/null
"$SLOTTAR" train slottar doorkey.safetensors $small epochs=2 -o c -q >/dev/null
"$SLOTTAR" train slottar "$rtl<i>.csv" $small epochs=2 slots=3 prior=2 -o "<i>$rtl" -q >/dev/null
"$SLOTTAR" train compile doorkey.safetensors hidden=8 batch=16 segments=3 epochs=2 -o e -q >/dev/null
"$SLOTTAR" train ompn craft.safetensors hidden=8 batch=16 epochs=2 -o f -q >/dev/null
check "four runs, three data sets" 0 "$SLOTTAR" report a b c d -o page.html
check "three models, two data sets" 0 "$SLOTTAR" report a e f -o models.html
check "hostile names" 0 "$SLOTTAR" report "<i>$rtl" -o evil.html
"$SLOTTAR" eval a b --json 2>/dev/null >eval.json
"$SLOTTAR" eval d --json 2>/dev/null >other.json
for run in a e f; do "$SLOTTAR" eval $run --json 2>/dev/null; done | tr '\n' ' ' | sed 's/} *{"runs"/}, {"runs"/g' >models.json

# ask NAME WANTED COMMAND: a line of JSON comes back for each of eval, run and messages
: >names
ask() { printf '%s\t%s\n' "$1" "$2" >>names; echo "$3"; }
pick='const pick = (id, value) => { const node = document.querySelector(id); node.value = value; for (const kind of ["input", "change"]) node.dispatchEvent(new Event(kind)); return document.querySelector(".count").textContent; };'
select_set() { echo "(async () => { $pick pick('#pick-set', $1); for (let i = 0; i < 1200; i++) { await new Promise((d) => setTimeout(d, 50)); if (document.querySelector('.count').textContent.endsWith('$2 trajectories')) break; } return document.querySelector('.count').textContent; })()"; }
{
    echo "size 1280 900"
    echo "open file://$PWD/page.html"
    ask 'heading' '"Sub-routines found in 3 data sets"' 'eval document.querySelector("h1").textContent'
    ask 'scores are those of eval' 'true' "eval ((judged) => judged.runs.every((run, r) => { const cell = (key) => document.querySelector(\`tr[data-run=\"\${r}\"] td[data-score=\${key}]\`)?.textContent, keys = ['f1', 'f1_one', 'align', 'ari', 'covering', 'accuracy', 'forward', 'backward', 'ece']; return keys.every((key) => run[key] === null ? (cell(key) ?? '–') === '–' : Math.abs(parseFloat(cell(key)) - 100 * run[key]) < 0.0051); }))($(cat eval.json))"
    ask 'means and spread too' 'true' "eval ((judged) => { const cells = [...document.querySelectorAll('#set1 tr.mean td[data-score]')]; return ['f1', 'f1_one', 'align', 'ari', 'covering'].every((key, k) => Math.abs(parseFloat(cells[k].textContent) - 100 * judged.mean[key]) < 0.0051 && Math.abs(parseFloat(cells[k].querySelector('small').textContent.replace('±', '')) - 100 * judged.sd[key]) < 0.0051); })($(cat eval.json))"
    ask 'of a model that finds something too' 'true' "eval ((judged) => { const cells = [...document.querySelectorAll('tr[data-run=\"3\"] td[data-score]')]; return judged.runs[0].f1 > 0 && ['f1', 'f1_one', 'align', 'ari', 'covering', 'accuracy', 'forward', 'backward', 'ece'].every((key, k) => Math.abs(parseFloat(cells[k].textContent) - 100 * judged.runs[0][key]) < 0.0051); })($(cat other.json))"
    ask 'all are listed' '"40 of 40 trajectories"' 'eval document.querySelector(".count").textContent'
    # keys
    ask 'starts at 0' '"0"' 'eval (document.querySelector("#timeline").focus(), document.querySelector("#timeline").getAttribute("aria-valuenow"))'
    echo "key ArrowRight"; echo "key ArrowRight"; echo "key ArrowRight"; echo "key ArrowLeft"
    ask 'arrows move the cursor' '"2"' 'eval document.querySelector("#timeline").getAttribute("aria-valuenow")'
    ask 'the step in words' 'true' 'eval /^step 2 of \d+, action (left|right|up|down|use)/.test(document.querySelector("#timeline").getAttribute("aria-valuetext"))'
    ask 'world and view' 'true' 'eval ["worlds", "views"].every((name) => document.querySelector(`[data-world=${name}] .agent`))'
    echo "key End"
    ask 'End' 'true' 'eval document.querySelector("#timeline").getAttribute("aria-valuenow") === document.querySelector("#timeline").getAttribute("aria-valuemax")'
    echo "key Home"
    ask 'Home' '"0"' 'eval document.querySelector("#timeline").getAttribute("aria-valuenow")'
    ask 'a title' 'true' 'eval (globalThis.first = document.querySelector("#which").textContent).startsWith("Episode ")'
    echo "key ArrowDown"
    ask 'down: the next trajectory' 'true' 'eval document.querySelector("#which").textContent !== globalThis.first && document.querySelector("#which").textContent.endsWith(document.querySelector(".row[aria-selected=true]").textContent.split(" ")[0])'
    echo "key ArrowUp"
    ask 'up: back again' 'true' 'eval document.querySelector("#which").textContent === globalThis.first'
    ask 'a witness' 'true' 'eval (() => { const button = document.querySelector(".moves button:last-child"); globalThis.said = []; new MutationObserver(() => said.push(button.getAttribute("aria-label"))).observe(button, { attributes: true }); return true; })()'
    echo "key Space"
    ask 'space plays' '"stop"' 'eval said[0]'
    ask 'and it can be stopped' '"play"' 'eval (() => { const button = document.querySelector(".moves button:last-child"); if (button.getAttribute("aria-label") === "stop") button.click(); return button.getAttribute("aria-label"); })()'
    ask 'the list takes keys' 'true' 'eval (document.querySelector("#list").focus(), true)'
    echo "key End"
    ask 'End: the last of the list' '"40"' 'eval document.querySelector(".row[aria-selected=true]").getAttribute("aria-posinset")'
    # filters: tasks are mixed evenly, 14 + 13 + 13
    ask 'filter by task' '"14 of 40 trajectories"' "eval (() => { $pick return pick('#pick-task', '0'); })()"
    ask 'another task' '"13 of 40 trajectories"' "eval (() => { $pick return pick('#pick-task', '2'); })()"
    ask 'none' '"0 of 40 trajectories"' "eval (() => { $pick pick('#pick-task', ''); return pick('#pick-episode', '99999'); })()"
    ask 'then no stage' 'true' 'eval document.querySelector(".stage").hidden'
    ask 'all again' '"40 of 40 trajectories"' "eval (() => { $pick return pick('#pick-episode', ''); })()"
    ask 'right ones and wrong ones are all' 'true' "eval (() => { $pick const right = parseInt(pick('#pick-show', 'right')), wrong = new Set(); for (const kind of ['missed', 'extra']) { pick('#pick-show', kind); const list = document.querySelector('#list'); for (let top = 0; top <= list.scrollHeight; top += 200) { list.scrollTop = top; list.dispatchEvent(new Event('scroll')); document.querySelectorAll('.row').forEach((row) => wrong.add(row.id)); } } pick('#pick-show', 'all'); return right + wrong.size === 40; })()"
    ask 'filter by confidence' 'true' "eval (() => { $pick const some = parseInt(pick('#pick-sure', '50')), fewer = parseInt(pick('#pick-sure', '20')); pick('#pick-sure', '100'); return fewer <= some && some <= 40 && document.querySelector('output').textContent === '100 %'; })()"
    ask 'order by length' 'true' "eval (() => { $pick pick('#pick-order', 'long'); const long = parseInt(document.querySelector('.row').textContent.split('·')[1]); pick('#pick-order', 'short'); const short = parseInt(document.querySelector('.row').textContent.split('·')[1]); pick('#pick-order', 'worst'); return long > short; })()"
    ask 'another model' 'true' "eval (() => { $pick pick('#pick-run', '1'); const facts = document.querySelector('.facts').textContent; pick('#pick-run', '0'); return facts.includes('steps') && document.querySelectorAll('.names text').length > 8; })()"
    # the gallery leads back
    ask 'groups of the gallery' 'true' 'eval document.querySelectorAll(".group").length > 0 && (document.querySelector("[data-mode=last]").click(), document.querySelector("[data-mode=last]").getAttribute("aria-pressed") === "true")'
    ask 'its examples lead back' 'true' 'eval (() => { const button = document.querySelector(".example"); const episode = button.getAttribute("aria-label").match(/episode (\d+)/)[1]; button.click(); return document.querySelector("#which").textContent === "Episode " + episode; })()'
    # layout and contrast
    ask 'layout and contrast: 1280' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-1280.png whole"
    ask 'dark' '"dark"' 'eval (document.querySelector("#theme").click(), document.documentElement.dataset.theme)'
    ask 'is dark' 'true' 'eval (() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number); return r + g + b < 150; })()'
    ask 'layout and contrast: 1280 dark' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-1280-dark.png whole"
    ask 'light again' '"light"' 'eval (document.querySelector("#theme").click(), document.documentElement.dataset.theme)'
    echo "size 768 1024"
    ask 'layout and contrast: 768' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-768.png whole"
    echo "size 360 740"
    ask 'layout and contrast: 360' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-360.png whole"
    ask 'the other data set' '"12 of 12 trajectories"' "eval $(select_set 1 12)"
    ask 'layout and contrast: 360, doorkey' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-360-doorkey.png whole"
    ask 'the data set without worlds' '"40 of 40 trajectories"' "eval $(select_set 2 40)"
    ask 'but with its numbers' 'true' 'eval document.querySelectorAll("#timeline .value").length > 4 && /observed0(\.0+)?, 0(\.0+)?$/.test(document.querySelector("#told").textContent)'
    ask 'errors agree with the scores' 'true' "eval (() => { $pick const right = parseInt(pick('#pick-show', 'right')), best = (pick('#pick-show', 'all'), pick('#pick-order', 'best'), [...document.querySelectorAll('.row')].filter((row) => row.textContent.endsWith('100.0')).length); return right >= Math.min(best, 5) && right < 40; })()"
    ask 'layout and contrast: 360, no worlds' '[]' "run $here/helpers/page_checks.js"
    echo "medium print"; echo "size 718 1050"
    ask 'layout and contrast: paper' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-paper.png whole"
    echo "medium screen"
    ask 'no message, no request' '[]' "messages"
    # models with slots, with masks alone, and without
    echo "size 1280 900"; echo "open file://$PWD/models.html"
    ask 'scores of all models are those of eval' 'true' "eval ((judged) => judged.length === 3 && judged.every((one, r) => { const cell = (key) => document.querySelector(\`tr[data-run=\"\${r}\"] td[data-score=\${key}]\`)?.textContent, run = one.runs[0]; return ['f1', 'f1_one', 'align', 'ari', 'covering', 'accuracy', 'forward', 'backward', 'ece'].every((key) => run[key] === null ? (cell(key) ?? '–') === '–' : Math.abs(parseFloat(cell(key)) - 100 * run[key]) < 0.0051); }))([$(cat models.json)])"
    ask 'who was told the number of segments' '[false,false,true]' 'eval [0, 1, 2].map((r) => document.querySelector(`tr[data-run="${r}"]`).textContent.includes("given the true number"))'
    ask 'slots of the first model' 'true' 'eval [...document.querySelectorAll(".names text")].some((text) => text.textContent === "slot 1") && document.querySelectorAll(".look").length > 0'
    ask 'its gallery is ordered by type' 'true' 'eval document.querySelector("[data-mode=type]").getAttribute("aria-pressed") === "true" && /^(Type 0: |Unknown type)/.test(document.querySelector(".group h4").textContent)'
    ask 'plans are trees of types' 'true' 'eval document.querySelectorAll(".plans li .leaf").length > 0'
    ask 'and its gallery by slot' '"Slot "' 'eval (document.querySelector("[data-mode=slot]").click(), document.querySelector(".group h4").textContent.slice(0, 5))'
    ask 'a model without slots' 'true' "eval (() => { $pick pick('#pick-run', '1'); document.querySelector('#timeline').focus(); return ![...document.querySelectorAll('.names text')].some((text) => text.textContent.startsWith('slot ')); })()"
    echo "key ArrowRight"
    ask 'its words' 'true' 'eval /C found [12] of \d+, type (\d+|unknown)(, world|$)/.test(document.querySelector("#timeline").getAttribute("aria-valuetext"))'
    ask 'its gallery' 'true' 'eval (document.querySelector("[data-mode=slot]").click(), document.querySelector(".group h4").textContent.startsWith("Segment ") && document.querySelector("[data-mode=slot]").textContent === "by place")'
    ask 'layout and contrast: models, 1280' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-models.png whole"
    ask 'the data set of the second model' '"12 of 12 trajectories"' "eval $(select_set 1 12)"
    ask 'masks without attention' 'true' 'eval [...document.querySelectorAll(".names text")].some((text) => text.textContent === "slot 3") && document.querySelectorAll("#timeline .look").length === 0'
    echo "size 360 740"
    ask 'layout and contrast: models, 360' '[]' "run $here/helpers/page_checks.js"
    ask 'no message, no request' '[]' "messages"
    # the system's choice, hostile names
    echo "scheme dark"; echo "size 1280 900"
    echo "open file://$PWD/evil.html"
    ask 'the system prefers dark' '"Light"' 'eval document.querySelector("#theme").textContent'
    ask 'hostile name in the title' 'true' 'eval document.title !== "1" && document.title.includes("aU+202Eb<i>")'
    ask 'no markup came of it' '0' 'eval document.querySelectorAll("main b[onclick], h1 i, th i:not(.swatch), main script").length'
    ask 'hostile names are seen' 'true' 'eval document.querySelector("h1").textContent === "Sub-routines found in aU+202Eb<i>" && document.querySelector("tr.run").textContent.includes("<i>aU+202Eb")'
    ask 'hostile actions are seen' 'true' 'eval new Promise((done) => { const names = new Set(), line = document.querySelector("#timeline"); for (let t = 0; t < 6; t++) { names.add(line.getAttribute("aria-valuetext").split("action ")[1].split(", ")[0]); line.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })); } done(["</script><script>document.title=1</script>", "<b onclick=x>", "aU+202Eb"].every((name) => names.has(name))); })'
    ask 'layout and contrast: hostile' '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-hostile.png whole"
    ask 'no message, no request' '[]' "messages"
} >commands
check "the browser" 0 "$driver" "$browser" "$PWD/profile" <commands
n=0
while IFS=$'\t' read -r what want; do
    n=$((n + 1)) got=$(sed -n "${n}p" out)
    if [ "$got" = "$want" ]; then ok "$what"; else not_ok "$what"; echo "# $got, not $want"; fi
done <names
plan
