// Reading YAML: libyaml's events, of which only a flat map passes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/yaml_config.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>
#include "core/file.h"

enum { LARGEST = 1 << 20, MOST = 10000 }; // bytes of a text; values in it

typedef struct item item;
struct item {
    item *next;
    const char *text;
};

typedef struct node node;
struct node {
    node *next;
    slt_yaml_entry entry;
};

typedef struct {
    slt_arena *arena;
    const char *name;
    yaml_parser_t parser;
    yaml_event_t event; // the last one read
    bool held;          // it must be deleted
    size_t values;
} yaml_reader;

#define REFUSE(reader, ...)                                                                        \
    do {                                                                                           \
        char where_[320];                                                                          \
        snprintf(where_, sizeof where_, "%.280s:%zu", (reader)->name,                              \
                 (reader)->event.start_mark.line + 1);                                             \
        slt_fail(SLT_FORMAT, __VA_ARGS__);                                                         \
        return slt_fail_in(SLT_FORMAT, where_);                                                    \
    } while (0)

static bool is_marked(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default:
        return false;
    }
}

// reads the next event; tags, anchors and aliases are refused here
static slt_status next(yaml_reader *reader) {
    if (reader->held) yaml_event_delete(&reader->event);
    reader->held = false;
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
        if (reader->parser.error == YAML_MEMORY_ERROR) SLT_FAIL(SLT_NOMEM, "no memory for YAML");
        SLT_FAIL(SLT_FORMAT, "%.280s:%zu: bad YAML: %s", reader->name,
                 reader->parser.problem_mark.line + 1,
                 reader->parser.problem ? reader->parser.problem : "unreadable");
    }
    reader->held = true;
    const yaml_event_t *event = &reader->event;
    if (event->type == YAML_ALIAS_EVENT) REFUSE(reader, "aliases are not read");
    if (is_marked(event)) REFUSE(reader, "anchors and tags are not read");
    return SLT_OK;
}

static slt_status take_scalar(yaml_reader *reader, const char **out) {
    const yaml_event_t *event = &reader->event;
    if (event->type != YAML_SCALAR_EVENT) REFUSE(reader, "a plain value is wanted, nothing nested");
    if (memchr(event->data.scalar.value, 0, event->data.scalar.length))
        REFUSE(reader, "a text holds a NUL");
    if (++reader->values > MOST) REFUSE(reader, "more than %d values", MOST);
    char *copy;
    SLT_TRY(slt_arena_text(reader->arena, (const char *)event->data.scalar.value,
                           event->data.scalar.length, &copy));
    *out = copy;
    return SLT_OK;
}

static slt_status take_list(yaml_reader *reader, slt_yaml_entry *entry) {
    item *first = NULL, **last = &first;
    SLT_TRY(next(reader));
    for (; reader->event.type != YAML_SEQUENCE_END_EVENT; entry->count++) {
        item *added;
        SLT_TRY(SLT_NEW(reader->arena, &added, 1));
        SLT_TRY(take_scalar(reader, &added->text));
        *last = added;
        last = &added->next;
        SLT_TRY(next(reader));
    }
    const char **values;
    SLT_TRY(SLT_NEW(reader->arena, &values, entry->count));
    size_t i = 0;
    for (const item *one = first; one; one = one->next) values[i++] = one->text;
    entry->values = values;
    entry->is_list = true;
    return SLT_OK;
}

static slt_status take_value(yaml_reader *reader, slt_yaml_entry *entry) {
    SLT_TRY(next(reader));
    if (reader->event.type == YAML_SEQUENCE_START_EVENT) return take_list(reader, entry);
    const char **value;
    SLT_TRY(SLT_NEW(reader->arena, &value, 1));
    SLT_TRY(take_scalar(reader, value));
    entry->values = value;
    entry->count = 1;
    return SLT_OK;
}

static slt_status take_map(yaml_reader *reader, slt_yaml *out) {
    node *first = NULL, **last = &first;
    size_t count = 0;
    SLT_TRY(next(reader));
    for (; reader->event.type != YAML_MAPPING_END_EVENT; count++) {
        node *added;
        SLT_TRY(SLT_NEW(reader->arena, &added, 1));
        SLT_TRY(take_scalar(reader, &added->entry.key));
        added->entry.line = (int)reader->event.start_mark.line + 1;
        for (const node *one = first; one; one = one->next)
            if (strcmp(one->entry.key, added->entry.key) == 0)
                REFUSE(reader, "key '%.100s' stands twice", added->entry.key);
        SLT_TRY(take_value(reader, &added->entry));
        *last = added;
        last = &added->next;
        SLT_TRY(next(reader));
    }
    SLT_TRY(SLT_NEW(reader->arena, &out->entries, count));
    for (const node *one = first; one; one = one->next) out->entries[out->count++] = one->entry;
    return SLT_OK;
}

static slt_status take_file(yaml_reader *reader, slt_yaml *out) {
    SLT_TRY(next(reader)); // start of the stream
    SLT_TRY(next(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT) return SLT_OK; // nothing but comments
    SLT_TRY(next(reader));
    if (reader->event.type != YAML_MAPPING_START_EVENT)
        REFUSE(reader, "a map 'key: value' is wanted");
    SLT_TRY(take_map(reader, out));
    SLT_TRY(next(reader)); // end of the document
    SLT_TRY(next(reader));
    if (reader->event.type != YAML_STREAM_END_EVENT) REFUSE(reader, "one document is wanted");
    return SLT_OK;
}

slt_status slt_yaml_parse(slt_arena *arena, const char *name, const char *text, size_t length,
                          slt_yaml *out) {
    if (length > LARGEST)
        SLT_FAIL(SLT_FORMAT, "%s: %zu bytes are too many for a YAML file", name, length);
    yaml_reader reader = {.arena = arena, .name = name};
    slt_yaml found = {0};
    if (!yaml_parser_initialize(&reader.parser)) SLT_FAIL(SLT_NOMEM, "no memory for YAML");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    slt_status status = take_file(&reader, &found);
    if (reader.held) yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    if (status == SLT_OK) *out = found;
    return status;
}

slt_status slt_yaml_load(slt_arena *arena, const char *path, slt_yaml *out) {
    slt_map map;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status = slt_yaml_parse(arena, path, (const char *)map.data, map.size, out);
    slt_map_close(&map);
    return status;
}

const slt_yaml_entry *slt_yaml_find(const slt_yaml *yaml, const char *key) {
    for (size_t i = 0; i < yaml->count; i++)
        if (strcmp(yaml->entries[i].key, key) == 0) return &yaml->entries[i];
    return NULL;
}
