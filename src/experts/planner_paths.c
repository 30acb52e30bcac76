// Dijkstra's algorithm with a bucket per cost.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/planner_paths.h"

#include <string.h>

enum { NODES = 4 * SLT_PATH_STATES + 1 }; // a state is pushed by two turns, a step and as a goal

typedef struct {
    uint8_t *cost;
    int16_t head[SLT_FAR]; // node + 1 of each cost; 0: none
    int16_t next[NODES], state[NODES];
    int used, highest;
} buckets;

static const int step[4] = {16, 1, -16, -1}; // from cell to cell, by direction

int slt_path_front(int state) { return (state >> 2) + step[state & 3]; }

static void open_queue(buckets *queue, uint8_t *cost) {
    queue->cost = cost;
    queue->used = queue->highest = 0;
    memset(queue->head, 0, sizeof queue->head);
    memset(cost, SLT_FAR, SLT_PATH_STATES);
}

static void push(buckets *queue, int state, int cost) {
    if (cost >= queue->cost[state]) return;
    queue->cost[state] = (uint8_t)cost;
    int node = queue->used++;
    queue->state[node] = (int16_t)state;
    queue->next[node] = queue->head[cost];
    queue->head[cost] = (int16_t)(node + 1);
    if (cost > queue->highest) queue->highest = cost;
}

// the next state at this cost; -1: none is left
static int pop(buckets *queue, int cost) {
    while (queue->head[cost]) {
        int node = queue->head[cost] - 1;
        queue->head[cost] = queue->next[node];
        int state = queue->state[node];
        if (queue->cost[state] == cost) return state;
    }
    return -1;
}

static void push_turns(buckets *queue, int state, int cost) {
    push(queue, (state & ~3) | ((state + 1) & 3), cost + 1);
    push(queue, (state & ~3) | ((state + 3) & 3), cost + 1);
}

int slt_paths_from(const uint8_t enter[SLT_PATH_CELLS], int state, uint8_t cost[SLT_PATH_STATES],
                   int16_t order[SLT_PATH_STATES]) {
    buckets queue;
    open_queue(&queue, cost);
    push(&queue, state, 0);
    int count = 0;
    for (int c = 0; c <= queue.highest; c++)
        while ((state = pop(&queue, c)) >= 0) {
            order[count++] = (int16_t)state;
            push_turns(&queue, state, c);
            int front = slt_path_front(state);
            if (enter[front]) push(&queue, front << 2 | (state & 3), c + enter[front]);
        }
    return count;
}

void slt_paths_to(const uint8_t enter[SLT_PATH_CELLS], const slt_path_goals *goals, int state,
                  uint8_t cost[SLT_PATH_STATES]) {
    buckets queue;
    open_queue(&queue, cost);
    for (int i = 0; i < goals->count; i++)
        if (enter[goals->state[i] >> 2]) push(&queue, goals->state[i], goals->cost[i]);
    int found;
    for (int c = 0; c <= queue.highest; c++)
        while ((found = pop(&queue, c)) >= 0) {
            if (found == state) return;
            push_turns(&queue, found, c);
            int cell = found >> 2, back = cell - step[found & 3];
            if (enter[back]) push(&queue, back << 2 | (found & 3), c + enter[cell]);
        }
}
