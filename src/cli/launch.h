// Processes that mpirun or srun started side by side: who is who, and what they do.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_LAUNCH_H
#define SLT_CLI_LAUNCH_H

#include "cli.h"

// sees what launcher is at work and, for a command whose processes share the work, makes them a
// group. call->follower is set for all but the first; false when it cannot be done, and says so
bool cli_join(cli_call *call, slt_context_options *options);
// may this process say what went wrong? what all know is said once
bool cli_speaks(void);
// after the command: the exit code; ends the others where they cannot know
int cli_leave(int code);

// ---- mpi_group.c: the only file with MPI in it, in builds that have it

// becomes one of the group; false when MPI sees another number of processes than the launcher said,
// which `size` then is
bool cli_mpi_join(slt_group *out, int *size);
// waits for all others to come here as well, some seconds; false when they do not
bool cli_mpi_meet(void);
// leaves in peace, when all do
void cli_mpi_leave(void);
// ends all processes, who may wait for this one for ever
void cli_mpi_abort(int code);

#endif
