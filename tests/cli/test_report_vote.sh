#!/usr/bin/env bash
# The page of a vote, and of models of continuous actions, in a real browser: lines over segments, the vote and its line, laws,
# answers, the gallery; 1180 and 420 pixels, light and dark; hostile names. Screenshots for the eye go to BUILD/screenshots.
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

rtl=$(printf 'a\342\200\256b')
awk -v rtl="$rtl" 'BEGIN { srand(1); print "demo,</script><b>x," rtl ",qx,qy"
    for (e = 0; e < 30; e++) { x = y = 0
        for (s = 0; s < 3; s++) { n = 8 + int(6 * rand()); for (t = 0; t < n; t++) {
            vx = s == 0 ? 0.8 : s == 1 ? -0.5 : 0.1; vy = s == 0 ? 0.2 : s == 1 ? 0.9 : -0.7; x += vx / 10; y += vy / 10
            printf "%d,%.4f,%.4f,%.4f,%.4f\n", e, vx + 0.05 * (rand() - 0.5), vy + 0.05 * (rand() - 0.5), x, y } } } }' >'<i>moves.csv'
columns=(--actions '</*,a*' --observations 'q*' --episode demo)
awk 'BEGIN { srand(5); print "episode,action,x"
    for (e = 0; e < 80; e++) { x = 0; for (k = 0; k < 3; k++) { n = 3 + int(5 * rand()); d = rand() < 0.5 ? "left" : "right"
        for (i = 0; i < n; i++) { if (rand() < 0.25) print e ",<b>knock," x; print e "," d "," x++ }
        print e ",<b>grab," x; x += 100; m = 2 + int(3 * rand()); for (i = 0; i < m; i++) print e ",down," x++; print e ",</script>drop," x; x += 100 } } }' >modes.csv
"$SLOTTAR" segment '<i>moves.csv' "${columns[@]}" --runs 8 --run a -o a.jsonl -q
"$SLOTTAR" segment modes.csv kind=events --runs 30 --run modes -o modes.jsonl -q
source="<i>moves.csv?actions=</*,a*&observations=q*&episode=demo"
"$SLOTTAR" train slottar "$source" hidden=8 slot_size=8 heads=2 batch=16 epochs=2 slots=3 -o s -q >/dev/null 2>&1
check "a vote on continuous actions" 0 "$SLOTTAR" report a -o vote.html
check "a vote with several answers" 0 "$SLOTTAR" report modes -o modes.html
check "a model of continuous actions" 0 "$SLOTTAR" report s -o model.html
check "a vote and a model" 0 "$SLOTTAR" report a s --data "$source" -o both.html

: >names
ask() { printf '%s\t%s\n' "$1" "$2" >>names; echo "$3"; }
looks() { # PAGE: widths and themes
    ask "layout and contrast: $1, 1180" '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-$1.png whole"
    echo "size 420 900"
    ask "layout and contrast: $1, 420" '[]' "run $here/helpers/page_checks.js"
    ask 'dark' '"dark"' 'eval (document.querySelector("#theme").click(), document.documentElement.dataset.theme)'
    ask "layout and contrast: $1, 420 dark" '[]' "run $here/helpers/page_checks.js"
    echo "shot $shots/report-$1-420-dark.png whole"
    ask "no message, no request: $1" '[]' "messages"
    echo "size 1180 900"
}
{
    echo "size 1180 900"
    echo "open file://$PWD/vote.html"
    ask 'all trajectories' '"30 of 30 trajectories"' 'eval document.querySelector(".count").textContent'
    ask 'trust at the top' 'true' 'eval /^Trust 0\.\d\d of 1\.$/.test(document.querySelector(".trust").textContent)'
    ask 'a line per channel over the segments' '[2,3]' 'eval [document.querySelectorAll("#timeline .channel").length, document.querySelectorAll("#timeline .wash").length]'
    ask 'their names' 'true' 'eval document.querySelector(".channels").textContent === "</script><b>xaU+202Eb"'
    ask 'no markup came of them' '0' 'eval document.querySelectorAll("main b.x, h1 i, main script, .channels b").length'
    ask 'the vote, and the line' '[true,1]' 'eval [document.querySelectorAll("#timeline .vote:not(.low)").length === 2, document.querySelectorAll("#timeline .least").length]'
    ask 'laws in the blocks' 'true' 'eval [...document.querySelectorAll("#timeline text.on")].map((text) => text.textContent).sort().join("") === "ABC"'
    ask 'and in words' 'true' 'eval /found[ ]?1 of 3, law [ABC]/.test(document.querySelector("#timeline").getAttribute("aria-valuetext"))'
    ask 'numbers of the step' 'true' 'eval /action-?[0-9.e-]+, -?[0-9.e-]+/.test(document.querySelector("#told").textContent)'
    ask 'the gallery by law' '["Law A","Law B","Law C"]' 'eval [...document.querySelectorAll(".group h4")].map((node) => node.textContent)'
    ask 'as lines' 'true' 'eval document.querySelectorAll(".example .channel").length === 3 * 6 * 2'
    ask 'by place too' '"Segment 1"' 'eval (document.querySelector("[data-mode=slot]").click(), document.querySelector(".group h4").textContent)'
    ask 'its examples lead back' 'true' 'eval (() => { const button = document.querySelector(".example"); const episode = button.getAttribute("aria-label").match(/episode (\d+)/)[1]; button.click(); return document.querySelector("#which").textContent === "Episode " + episode; })()'
    ask 'the agreement matrix' 'true' 'eval document.querySelectorAll("[data-figure=agreement] .heat").length > 1'
    ask 'no epochs, no priors' '0' 'eval document.querySelectorAll("[data-figure=losses], [data-figure=priors], .config").length'
    looks vote
    echo "open file://$PWD/modes.html"
    ask 'answers below each other' 'true' 'eval ["answer 1", "answer 2"].every((name) => [...document.querySelectorAll(".names text")].some((text) => text.textContent === name))'
    ask 'in words that are text' 'true' 'eval document.querySelector(".answers").textContent.includes("ends after ") && !document.querySelector(".answers li b b, .answers script")'
    ask 'drawn as a figure' 'true' 'eval document.querySelectorAll("[data-figure=answers] rect").length > 12'
    looks modes
    echo "open file://$PWD/model.html"
    ask 'a model has lines and no vote' '[2,0]' 'eval [document.querySelectorAll("#timeline .channel").length, document.querySelectorAll("#timeline .vote").length]'
    ask 'and slots' 'true' 'eval [...document.querySelectorAll(".names text")].some((text) => text.textContent === "slot 1")'
    looks model
    echo "open file://$PWD/both.html"
    ask 'both in one time line' '"30 of 30 trajectories"' 'eval document.querySelector(".count").textContent'
    looks both
} >commands
check "the browser" 0 "$driver" "$browser" "$PWD/profile" <commands
n=0
while IFS=$'\t' read -r what want; do
    n=$((n + 1)) got=$(sed -n "${n}p" out)
    if [ "$got" = "$want" ]; then ok "$what"; else not_ok "$what"; echo "# $got, not $want"; fi
done <names
plan
