// Tickets: names, renames, locks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/sweep/sweep_tickets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "core/lock.h"

static const char *const states[] = {"free", "taken", "done"};

typedef struct {
    char text[SLT_SWEEP_PATH + 160];
} path;

static path path_of(const char *folder, const char *name) {
    path p;
    snprintf(p.text, sizeof p.text, "%s/%s", folder, name);
    return p;
}

// ---- names

static void write_name(const slt_ticket_box *box, slt_ticket *ticket, char name[128]) {
    bool taken = ticket->state == SLT_TICKET_TAKEN;
    snprintf(name, 128, "%04d-%d.%d.%s%s%s", ticket->configuration, ticket->run, ticket->round,
             states[ticket->state], taken ? "." : "", taken ? box->worker : "");
}

// what a name says; false for other files
static bool read_name(const char *name, slt_ticket *ticket) {
    int used = 0;
    if (strlen(name) >= sizeof ticket->name ||
        sscanf(name, "%d-%d.%d.%n", &ticket->configuration, &ticket->run, &ticket->round, &used) !=
            3 ||
        used == 0)
        return false;
    snprintf(ticket->name, sizeof ticket->name, "%s", name);
    for (int s = 0; s < 3; s++) {
        size_t length = strlen(states[s]);
        ticket->state = (slt_ticket_state)s;
        if (strncmp(name + used, states[s], length) == 0)
            return name[used + (int)length] == (s == SLT_TICKET_TAKEN ? '.' : 0);
    }
    return false;
}

// ---- making them

static slt_status make_file(const char *folder, const char *name) {
    path p = path_of(folder, name);
    int descriptor = open(p.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) SLT_FAIL(SLT_IO, "%s: %s", p.text, strerror(errno));
    close(descriptor);
    return SLT_OK;
}

static void remove_all(const slt_ticket_box *box, const char *folder) {
    for (int i = 0; i < box->configurations * box->runs; i++)
        unlink(path_of(folder, box->tickets[i].name).text);
    rmdir(folder);
}

static bool is_there(const char *folder) {
    struct stat info;
    return stat(folder, &info) == 0;
}

// under another name first: the folder appears with all its tickets, once
static slt_status make_all(slt_ticket_box *box) {
    char fresh[SLT_SWEEP_PATH + 8];
    snprintf(fresh, sizeof fresh, "%s.new", box->folder);
    SLT_TRY(slt_folder_make(fresh));
    for (int i = 0; i < box->configurations * box->runs; i++) {
        slt_ticket *ticket = &box->tickets[i];
        *ticket = (slt_ticket){.configuration = i / box->runs, .run = i % box->runs};
        write_name(box, ticket, ticket->name);
        slt_status status = make_file(fresh, ticket->name);
        // another worker may have finished the same folder and renamed it
        if (status != SLT_OK) return is_there(box->folder) ? SLT_OK : status;
    }
    if (rename(fresh, box->folder) == 0) return SLT_OK;
    int error = errno;
    remove_all(box, fresh);
    if (is_there(box->folder)) return SLT_OK;
    SLT_FAIL(SLT_IO, "%s: could not make the tickets: %s", box->folder, strerror(error));
}

static void name_worker(slt_ticket_box *box) {
    char host[48];
    slt_host_name(host);
    snprintf(box->worker, sizeof box->worker, "%s.%ld", host, (long)getpid());
}

slt_status slt_ticket_box_open(slt_ticket_box *box, slt_arena *arena, const char *folder,
                               int configurations, int runs) {
    *box = (slt_ticket_box){.configurations = configurations, .runs = runs};
    int length = snprintf(box->folder, sizeof box->folder, "%s/tickets", folder);
    if (length < 0 || (size_t)length >= sizeof box->folder)
        SLT_FAIL(SLT_INVALID, "folder name of %zu characters is too long", strlen(folder));
    name_worker(box);
    SLT_TRY(SLT_NEW(arena, &box->tickets, (size_t)configurations * (size_t)runs));
    if (!is_there(box->folder)) SLT_TRY(make_all(box));
    return SLT_OK;
}

// ---- looking

// a rename in the middle of a walk can hide a file: such a walk is done again
static int walk(slt_ticket_box *box, DIR *folder) {
    int seen = 0, count = box->configurations * box->runs;
    for (int i = 0; i < count; i++) box->tickets[i].name[0] = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        slt_ticket ticket;
        if (!read_name(entry->d_name, &ticket)) continue;
        if (ticket.configuration < 0 || ticket.configuration >= box->configurations ||
            ticket.run < 0 || ticket.run >= box->runs)
            continue;
        slt_ticket *at = slt_ticket_at(box, ticket.configuration, ticket.run);
        seen += !at->name[0];
        *at = ticket;
    }
    return seen;
}

slt_status slt_ticket_box_look(slt_ticket_box *box) {
    int count = box->configurations * box->runs, seen = 0;
    for (int attempt = 0; attempt < 100 && seen < count; attempt++) {
        DIR *folder = opendir(box->folder);
        if (!folder) SLT_FAIL(SLT_IO, "%s: %s", box->folder, strerror(errno));
        seen = walk(box, folder);
        closedir(folder);
    }
    if (seen == count) return SLT_OK;
    SLT_FAIL(SLT_FORMAT, "%s: %d of %d tickets are missing", box->folder, count - seen, count);
}

// ---- changing

// *moved: the rename was ours; a ticket that is elsewhere by now is no failure
static slt_status move(const slt_ticket_box *box, slt_ticket *ticket, slt_ticket to, bool *moved) {
    write_name(box, &to, to.name);
    path from = path_of(box->folder, ticket->name), target = path_of(box->folder, to.name);
    *moved = rename(from.text, target.text) == 0;
    if (*moved) *ticket = to;
    if (!*moved && errno != ENOENT)
        SLT_FAIL(SLT_IO, "%s: could not rename: %s", from.text, strerror(errno));
    return SLT_OK;
}

slt_status slt_ticket_take(const slt_ticket_box *box, slt_ticket *ticket, int *lock) {
    *lock = -1;
    path p = path_of(box->folder, ticket->name);
    int descriptor = open(p.text, O_RDWR | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return SLT_OK;
    if (descriptor < 0) SLT_FAIL(SLT_IO, "%s: %s", p.text, strerror(errno));
    // where there are no locks, only free tickets are taken
    bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    bool held = !locked && (errno == EWOULDBLOCK || ticket->state == SLT_TICKET_TAKEN);
    slt_ticket to = *ticket;
    to.state = SLT_TICKET_TAKEN;
    bool moved = false;
    slt_status status = held ? SLT_OK : move(box, ticket, to, &moved);
    if (moved)
        *lock = descriptor;
    else
        close(descriptor);
    return status;
}

slt_status slt_ticket_give(const slt_ticket_box *box, slt_ticket *ticket, slt_ticket_state state,
                           int *lock) {
    slt_ticket to = *ticket;
    bool moved;
    to.state = state;
    slt_status status = move(box, ticket, to, &moved);
    close(*lock);
    *lock = -1;
    if (status == SLT_OK && !moved)
        SLT_FAIL(SLT_IO, "%s/%s: the ticket is gone", box->folder, ticket->name);
    return status;
}

slt_status slt_ticket_promote(const slt_ticket_box *box, slt_ticket *ticket, int round) {
    slt_ticket to = *ticket;
    bool moved;
    to.state = SLT_TICKET_FREE;
    to.round = round;
    return move(box, ticket, to, &moved);
}
