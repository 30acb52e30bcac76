// Does a checkpoint hold the weights that its options speak of? Asked before any memory is taken
// for them: the model is written on a tape of one step, which declares every weight and reserves
// none.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/safetensors.h"
#include "train/learner/checkpoint.h"

static slt_status check_weights(const slt_safetensors *file, const slt_store *store) {
    const slt_array *array;
    for (int i = 0; i < store->count; i++)
        for (int k = 0; k < store->parameters[i].parts; k++) {
            const slt_part *part = &store->parameters[i].part[k];
            int64_t shape[2];
            slt_store_part_shape(&store->parameters[i], k, shape);
            SLT_TRY(slt_safetensors_get(file, part->name, SLT_DTYPE_F32, 2, shape, &array));
        }
    return SLT_OK;
}

static slt_status check(const slt_checkpoint *checkpoint, const slt_safetensors *file,
                        slt_store *store) {
    const slt_setup *setup = &checkpoint->setup;
    slt_limits least = {1, 1, setup->kind->slots(setup->model), 1};
    _Alignas(16) unsigned char vars[SLT_MODEL_VARS];
    slt_model_data data = checkpoint->data;
    slt_tape *tape;
    data.prior = checkpoint->prior;
    data.length = 1;
    SLT_TRY(slt_tape_create(store, least, &tape));
    setup->kind->build(tape, setup->model, &data, true, vars);
    slt_status status = slt_tape_status(tape);
    slt_tape_destroy(tape);
    if (status == SLT_NOMEM || store->status == SLT_NOMEM)
        SLT_FAIL(SLT_NOMEM, "no memory for a model");
    if (status != SLT_OK)
        SLT_FAIL(SLT_FORMAT, "%s: its options make no model", slt_safetensors_path(file));
    return check_weights(file, store);
}

slt_status slt_checkpoint_check(slt_context *context, const slt_checkpoint *checkpoint,
                                const char *path) {
    slt_safetensors *file;
    slt_store *store = NULL;
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &file));
    slt_status status = slt_store_create(context, 1, &store);
    if (status == SLT_OK) status = check(checkpoint, file, store);
    slt_store_destroy(store);
    slt_safetensors_close(file);
    return status;
}
