// Who trains what: one small file per trial in FOLDER/tickets, whose name says how it stands.
//
//     0007-0.0.free             run 0 of configuration 7 is to be trained for round 0
//     0007-0.0.taken.HOST.PID   a worker has it, and holds a lock on the file as long as it lives
//     0007-0.0.done             its result lies in FOLDER/0007-0
//
// Every change is one rename, so that exactly one worker makes it, on shared disks too. The lock
// only tells whether a worker still lives: the ticket of a dead one is taken again.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SWEEP_TICKETS_H
#define SLT_TRAIN_SWEEP_TICKETS_H

#include "core/memory.h"

typedef enum { SLT_TICKET_FREE, SLT_TICKET_TAKEN, SLT_TICKET_DONE } slt_ticket_state;

// a trial as its ticket says it stands
typedef struct {
    int configuration, run, round;
    slt_ticket_state state;
    char name[128]; // of the file
} slt_ticket;

enum { SLT_SWEEP_PATH = 4096 };

typedef struct {
    char folder[SLT_SWEEP_PATH]; // FOLDER/tickets
    char worker[80];             // "HOST.PID"
    int configurations, runs;
    slt_ticket *tickets; // [configurations][runs], as last looked at
} slt_ticket_box;

// makes the tickets that are not there, all free in round 0
slt_status slt_ticket_box_open(slt_ticket_box *box, slt_arena *arena, const char *folder,
                               int configurations, int runs);

// looks at all names anew; FORMAT when a ticket is missing
slt_status slt_ticket_box_look(slt_ticket_box *box);
static inline slt_ticket *slt_ticket_at(const slt_ticket_box *box, int configuration, int run) {
    return &box->tickets[configuration * box->runs + run];
}

// tries to take a free ticket, or that of a dead worker; *lock is -1 when it was not to be had
slt_status slt_ticket_take(const slt_ticket_box *box, slt_ticket *ticket, int *lock);
// gives a ticket of ours back, free or done, and lets go of the lock
slt_status slt_ticket_give(const slt_ticket_box *box, slt_ticket *ticket, slt_ticket_state state,
                           int *lock);
// frees a done ticket for another round; no effect when somebody did it before
slt_status slt_ticket_promote(const slt_ticket_box *box, slt_ticket *ticket, int round);

#endif
