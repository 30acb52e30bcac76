#!/usr/bin/env bash
# The command's manners: version, help, wrong usage.
. "$(dirname "$0")/tap.sh"
check "version" 0 "$SLOTTAR" --version
says "version has a number" out "slottar 0."
check "help" 0 "$SLOTTAR" --help
says "help lists commands" out "completion"
check "nothing at all is wrong usage" 2 "$SLOTTAR"
check "unknown command" 2 "$SLOTTAR" frobnicate
says "names the command" err "frobnicate"
check "unknown flag" 2 "$SLOTTAR" completion bash --frob
says "names the flag" err "--frob"
check "bad number" 2 "$SLOTTAR" completion bash --threads=many
says "says what it wants" err "whole number"
check "missing argument" 2 "$SLOTTAR" completion
for shell in bash zsh fish; do check "completion for $shell" 0 "$SLOTTAR" completion $shell; done
check "bash takes its script" 0 bash -c "eval \"\$('$SLOTTAR' completion bash)\""
names=$("$SLOTTAR" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$names" | wc -w)" -gt 5 ] && ok "help names the commands" || not_ok "help names the commands"
for name in $names; do check "help of $name" 0 "$SLOTTAR" "$name" --help; done
check "the manual" 0 "$SLOTTAR" manual
says "names the commands" out "slottar\\-segment (1)"
check "the page of a command" 0 "$SLOTTAR" manual train
says "has its flags" out "\\fB\\-\\-restarts\\fR"
check "the page of no command" 2 "$SLOTTAR" manual frobnicate
says "is refused" err "frobnicate"
plan
