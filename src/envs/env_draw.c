// Drawing environments: finds the family, which knows how it looks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/env_draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "core/number.h"
#include "envs/env_batch.h"

void slt_canvas_init(slt_canvas *canvas, int width, int height) {
    memset(canvas, 0, sizeof *canvas);
    canvas->width = width;
    canvas->height = height;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) canvas->cells[y][x].mark = ' ';
}

void slt_canvas_say(char *text, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(text + used, SLT_CANVAS_TEXT - used, format, arguments);
    va_end(arguments);
}

slt_status slt_draw_env(const slt_env_batch *batch, int index, slt_canvas *out) {
    if (index < 0 || index >= batch->n)
        SLT_FAIL(SLT_RANGE, "there are %d copies, none %d", batch->n, index);
    if (batch->life[index] == SLT_COPY_FRESH)
        SLT_FAIL(SLT_INVALID, "copy %d was never reset: there is nothing to draw", index);
    batch->kind->draw(batch->kind, slt_env_state(batch, index), out);
    return SLT_OK;
}

// any environment with observations of that size: a family draws all of its own alike
static const slt_env_kind *find_by_size(size_t size) {
    const slt_env_kind *kind;
    for (int i = 0; (kind = slt_env_row(i)); i++)
        if ((size_t)kind->observation_size == size) return kind;
    return NULL;
}

slt_status slt_draw_observation(const char *environment, const uint8_t *observation, size_t size,
                                slt_canvas *out) {
    const slt_env_kind *kind = environment ? slt_env_find(environment) : find_by_size(size);
    if (!kind && environment) SLT_FAIL(SLT_INVALID, "no environment '%.80s'", environment);
    if (!kind) SLT_FAIL(SLT_SHAPE, "no environment has observations of %zu bytes", size);
    if ((size_t)kind->observation_size != size)
        SLT_FAIL(SLT_SHAPE, "observations of %s have %d bytes, not %zu", kind->id,
                 kind->observation_size, size);
    kind->draw_view(observation, out);
    return SLT_OK;
}
