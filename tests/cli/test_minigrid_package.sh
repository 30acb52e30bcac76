#!/usr/bin/env bash
# Our MiniGrid next to the real Python package: random steps on each of the paper's ids (MINIGRID_STEPS, 20 000), a tenth as many
# on each of those without things to carry.
# The package comes from the registry pip is set up for, once per build folder.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
helpers=$(cd "$(dirname "$0")/../helpers" && pwd)
build=$(dirname "$SLOTTAR") player=$(dirname "$SLOTTAR")/tests/minigrid_player
python=$build/minigrid-venv/bin/python
wanted="minigrid==3.0.0 gymnasium==1.4.0 numpy"

has_package() { "$python" -c 'import minigrid, gymnasium' >/dev/null 2>&1; }
install() {
    python3 -m venv "$build/minigrid-venv" >&2 &&
        timeout 60 "$python" -m pip install -q --disable-pip-version-check --retries 0 --timeout 10 $wanted >&2
}
why() { tail -1 log | cut -c1-120; }

steps=${MINIGRID_STEPS:-20000} name="random steps as the package takes them"
if [ "${SLT_NO_PACKAGES:-}" ]; then
    skip "$name" "SLT_NO_PACKAGES is set"
elif ! command -v python3 >/dev/null; then
    skip "$name" "there is no python3"
elif ! has_package && ! { install 2>log && has_package; }; then
    skip "$name" "the package minigrid is not installed and could not be: $(why)"
else
    check "$name" 0 "$python" "$helpers/minigrid_package.py" "$player" "$steps" \
        MiniGrid-DoorKey-8x8-v0 MiniGrid-UnlockPickup-v0 \
        MiniGrid-BlockedUnlockPickup-v0 MiniGrid-KeyCorridorS4R3-v0
    sed 's/^/# /' out
    open=$("$SLOTTAR" envs | grep -oE '^MiniGrid-(Empty|FourRooms|LavaGap|DistShift|GoToDoor)[^ ]*')
    check "rooms without things" 0 "$python" "$helpers/minigrid_package.py" "$player" $((steps / 10)) $open
    [ "$(grep -c agree out)" = 15 ] && ok "fifteen ids" || not_ok "fifteen ids"
    # a player that takes other seeds
    printf '#!/usr/bin/env bash\nsed "s/ [0-9]* / 5 /" | "%s"\n' "$player" >liar && chmod +x liar
    check "other worlds are noticed" 1 "$python" "$helpers/minigrid_package.py" ./liar 100 MiniGrid-Unlock-v0
    says "and named" out "differs at step 0"
fi
plan
