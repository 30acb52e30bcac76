// What the processes of a group do together. A batch is shared out by place: process r of N takes
// places r, r + N, ... of the batch that one process would have taken, and means are over the whole
// batch, so that losses and gradients of all shares add up to those of one process (engine/step.c
// adds them). All then take the same step. Held-out batches are shared out, too; process 0 alone
// writes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/clock.h"
#include "core/crc32c.h"
#include "core/group_impl.h"
#include "train/training/trainer.h"

slt_batch_layout slt_ranks_batch_layout(const slt_trainer *t) {
    slt_batch_layout rule = slt_learner_batch_layout(t->learner, t->task.data, true);
    rule.rank = slt_group_rank(t->context);
    rule.ranks = slt_group_size(t->context);
    rule.whole = t->batch;
    return rule;
}

slt_status slt_ranks_check(const slt_trainer *t) {
    int ranks = slt_group_size(t->context);
    if (ranks > t->batch)
        SLT_FAIL(SLT_INVALID, "%d processes for a batch of %d trajectories; start fewer of them",
                 ranks, t->batch);
    return SLT_OK;
}

// a checksum of config.yaml, which holds that of the data set
static slt_status config_checksum(slt_trainer *t, const slt_training_run *run, uint32_t *out) {
    slt_text text;
    slt_text_init(&text, &t->context->allocator);
    slt_status status = slt_run_config_text(run->request, run->setup, t->checksum, &text);
    if (status == SLT_OK) *out = slt_crc32c(text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

slt_status slt_ranks_compare(slt_trainer *t, slt_training_run *run) {
    if (slt_group_size(t->context) == 1) return SLT_OK;
    uint32_t mine = 0;
    SLT_TRY(slt_group_agree(t->context, config_checksum(t, run, &mine)));
    uint32_t first = mine;
    SLT_TRY(slt_group_share(t->context, &first, sizeof first));
    slt_status status = SLT_OK;
    if (mine != first)
        status = slt_fail(SLT_INVALID, "%s: another data set, or other options, than process 0 has",
                          run->request->data);
    return slt_group_agree(t->context, status);
}

slt_status slt_ranks_lead(slt_trainer *t, slt_training_run *run,
                          slt_status (*work)(slt_trainer *, slt_training_run *)) {
    slt_status status = slt_group_leads(t->context) ? work(t, run) : SLT_OK;
    return slt_group_agree(t->context, status);
}

// weights and moments of all members
static slt_status share_blocks(slt_trainer *t) {
    slt_store *store = t->learner->store;
    slt_real *const blocks[] = {store->value, store->moment1, store->moment2};
    SLT_TRY(slt_group_agree(t->context, slt_store_edit(store)));
    for (int i = 0; i < 3; i++)
        SLT_TRY(slt_group_share(t->context, blocks[i], store->size * sizeof *blocks[i]));
    return SLT_OK;
}

slt_status slt_ranks_share_start(slt_trainer *t) {
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (run->first < 0) continue;
        size_t bytes = (size_t)run->members * sizeof *run->each;
        SLT_TRY(slt_group_share(t->context, &run->state, sizeof run->state));
        SLT_TRY(slt_group_share(t->context, run->each, bytes));
    }
    t->stepping = slt_seconds();
    return slt_group_size(t->context) > 1 ? share_blocks(t) : SLT_OK;
}

bool slt_ranks_stop(slt_trainer *t) {
    if (slt_group_size(t->context) == 1) return slt_context_is_cancelled(t->context);
    return slt_tape_stop_asked(t->learner->train.tape);
}
