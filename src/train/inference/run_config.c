// config.yaml of a run that is there, held against what is asked for: a changed configuration is
// refused, one that an earlier version wrote with fewer options is not, nor one that only continues
// the run.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/file.h"
#include "train/inference/run_files.h"

// ---- options of a file

// what config.yaml says in addition to the options
static bool is_option(const char *key) {
    static const char *const others[] = {"model", "data", "data_crc32c", "seed", "restarts"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0) return false;
    return true;
}

slt_status slt_run_config_options(const slt_yaml *yaml, const char *path, const char *model,
                                  slt_setup *out) {
    slt_options tables[3];
    SLT_TRY(slt_setup_init(out, model, NULL, NULL));
    slt_setup_tables(out, tables);
    for (size_t i = 0; i < yaml->count; i++) {
        const slt_yaml_entry *entry = &yaml->entries[i];
        if (!is_option(entry->key)) continue;
        slt_status status = entry->is_list ? slt_fail(SLT_FORMAT, "'%.40s' is a list", entry->key)
                                           : slt_option_set(tables, entry->key, entry->values[0]);
        if (status != SLT_OK) return slt_fail_in(status, path);
    }
    return SLT_OK;
}

// ---- lines

// the line with the same key; NULL: none
static const char *line_of(const char *text, const char *line) {
    size_t key = strcspn(line, ": \n");
    while (*text) {
        if (strcspn(text, ": \n") == key && strncmp(text, line, key) == 0) return text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

static bool same_line(const char *a, const char *b) {
    size_t length = strcspn(a, "\n");
    return strcspn(b, "\n") == length && strncmp(a, b, length) == 0;
}

// options that end a run may grow: the run continues from where it stands
static bool is_more(const char *there, const char *wanted) {
    static const char *const keys[] = {"epochs: ", "steps: ", "patience: "};
    long long before, now;
    for (size_t i = 0; there && i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i]);
        if (strncmp(wanted, keys[i], length) == 0)
            return sscanf(there + length, "%lld", &before) == 1 && before > 0 &&
                   sscanf(wanted + length, "%lld", &now) == 1 && now > before;
    }
    return false;
}

typedef struct {
    char text[640];
    size_t used;
    bool more; // only options that may grow differ
} differences;

static const char *quoted(const char *line, char out[96]) {
    enum { SHOWN = 80 };
    size_t length = line ? strcspn(line, "\n") : 0;
    if (!line) return "nothing";
    snprintf(out, 96, "'%.*s'", (int)(length > SHOWN ? SHOWN : length), line);
    return out;
}

// NULL: a text has no such line
static void add_difference(differences *list, const char *there, const char *wanted) {
    char a[96], b[96];
    size_t room = sizeof list->text - list->used;
    int added = snprintf(list->text + list->used, room, "%s%s (asked for: %s)",
                         list->used ? ", " : "", quoted(there, a), quoted(wanted, b));
    list->used = (size_t)added < room ? list->used + (size_t)added : sizeof list->text - 1;
}

// every line of one text against the other; `back`: only those that the other text does not have
static void compare(differences *list, const char *from, const char *to, const char *usual,
                    bool back) {
    for (const char *line = from; *line; line += *line == '\n') {
        const char *other = line_of(to, line);
        bool named = other != NULL;
        if (!named) other = line_of(usual, line);
        // the data's path may change, its checksum may not
        bool same = (other && same_line(line, other)) || strncmp(line, "data: ", 6) == 0;
        if (!same && !back && *usual && is_more(other, line))
            list->more = true;
        else if (!same && !(back && named))
            add_difference(list, back ? line : other, back ? other : line);
        line += strcspn(line, "\n");
    }
}

static slt_status check_lines(const char *path, const char *there, const char *wanted,
                              const char *usual, bool *more) {
    differences list = {.used = 0};
    compare(&list, wanted, there, usual, false);
    compare(&list, there, wanted, usual, true);
    *more = list.more;
    if (!list.used) return SLT_OK;
    SLT_FAIL(SLT_INVALID, "%s: this run has %s; use another run directory", path, list.text);
}

slt_status slt_run_settle(slt_context *context, const char *path, const slt_text *text,
                          const slt_text *usual) {
    slt_map map;
    slt_arena arena;
    char *there;
    bool more = false;
    if (access(path, F_OK) != 0) return slt_file_write(path, text->bytes, text->length);
    SLT_TRY(slt_map_open(path, &map));
    slt_arena_init(&arena, &context->allocator, 0);
    slt_text current;
    slt_text_init(&current, &context->allocator);
    slt_status status = slt_arena_text(&arena, (const char *)map.data, map.size, &there);
    if (status == SLT_OK) {
        slt_option_current_lines(there, &current);
        status = current.status;
    }
    if (status == SLT_OK)
        status = check_lines(path, current.length ? current.bytes : "", text->bytes,
                             usual && usual->length ? usual->bytes : "", &more);
    slt_text_deinit(&current);
    slt_arena_deinit(&arena);
    slt_map_close(&map);
    return status == SLT_OK && more ? slt_file_write(path, text->bytes, text->length) : status;
}

// ---- config.yaml

// all options of the run that is there: those that its file does not name have their defaults
static slt_status usual_text(slt_context *context, const char *path, const char *model,
                             slt_text *out) {
    slt_arena arena;
    slt_yaml yaml;
    slt_setup *setup;
    slt_options tables[3];
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = slt_yaml_load(&arena, path, &yaml);
    const slt_yaml_entry *entry = status == SLT_OK ? slt_yaml_find(&yaml, "model") : NULL;
    // those of another model say nothing
    if (entry && !entry->is_list && strcmp(entry->values[0], model) == 0) {
        status = SLT_NEW(&arena, &setup, 1);
        if (status == SLT_OK) status = slt_run_config_options(&yaml, path, model, setup);
        if (status == SLT_OK) status = slt_setup_resolve(setup);
        if (status == SLT_OK) {
            slt_setup_tables(setup, tables);
            slt_text_add(out, "restarts: 1\n");
            slt_options_to_yaml(tables, out);
            status = out->status;
        }
    }
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_run_configure(slt_context *context, const slt_train_request *request,
                             const slt_setup *setup, uint32_t checksum) {
    char path[SLT_RUN_PATH];
    slt_text text, usual;
    slt_run_path(path, request->run, "config.yaml");
    slt_text_init(&text, &context->allocator);
    slt_text_init(&usual, &context->allocator);
    slt_status status = slt_run_config_text(request, setup, checksum, &text);
    if (status == SLT_OK && access(path, F_OK) == 0)
        status = usual_text(context, path, setup->kind->name, &usual);
    if (status == SLT_OK) status = slt_run_settle(context, path, &text, &usual);
    slt_text_deinit(&text);
    slt_text_deinit(&usual);
    return status;
}
