// The vote of `slottar segment`: what it is asked for, and what it found.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef CLI_SEGMENT_VOTE_H
#define CLI_SEGMENT_VOTE_H

#include <stdio.h>
#include "cli.h"
#include "slottar/segmenter.h"

// nothing asks for slottar-mdl: no --restarts, no option but kind= and prior=
bool cli_wants_vote(const cli_call *call);
// kind=, prior=, --runs, --seconds, --min-length; false: misuse was said
bool cli_vote_options(cli_call *call, int min_length, slt_segmenter_options *out);
void cli_print_vote(FILE *out, const slt_vote_result *vote);
// "answers":[...] of a group; and with the group and the answer that was taken before it
void cli_json_answer_list(FILE *out, const slt_vote_group *group);
void cli_json_answers(FILE *out, const slt_vote_result *vote, int64_t answer);

#endif
