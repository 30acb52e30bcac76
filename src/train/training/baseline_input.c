// What a trainer gives to baselines: actions of some episodes, and the prior.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "train/training/trainer.h"

slt_status slt_trainer_actions(slt_trainer *t, slt_split split, int64_t most_episodes,
                               int64_t most_steps, slt_sequence **out, const float ***vectors,
                               size_t *count, size_t *steps) {
    int64_t there = t->task.count[split] < most_episodes ? t->task.count[split] : most_episodes;
    SLT_TRY(SLT_NEW(&t->arena, out, (size_t)there));
    if (t->task.model.columns) SLT_TRY(SLT_NEW(&t->arena, vectors, (size_t)there));
    *count = *steps = 0;
    for (int64_t i = 0; i < there && (int64_t)*steps < most_steps; i++) {
        slt_episode episode;
        int32_t *actions;
        SLT_TRY(slt_dataset_episode(t->task.data, t->task.episodes[split][i], &episode));
        SLT_TRY(SLT_NEW(&t->arena, &actions, (size_t)episode.length));
        if (t->task.model.columns)
            (*vectors)[*count] = episode.actions_f32;
        else
            for (int64_t l = 0; l < episode.length; l++)
                actions[l] = slt_episode_action(&episode, l);
        (*out)[(*count)++] = (slt_sequence){actions, (int32_t)episode.length};
        *steps += (size_t)episode.length;
    }
    return SLT_OK;
}

slt_status slt_trainer_prior(slt_trainer *t, slt_baseline_input *input) {
    int K = t->learner->setup.kind->slots(t->learner->setup.model);
    double *prior;
    SLT_TRY(SLT_NEW(&t->arena, &prior, (size_t)K + 1));
    memcpy(prior + 1, t->task.prior, (size_t)K * sizeof *prior);
    input->prior = prior;
    input->prior_size = K + 1;
    return SLT_OK;
}
