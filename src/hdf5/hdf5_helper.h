// The HDF5 helper program: the only place that links libhdf5, which is not safe on hostile files.
// It runs in a process of its own with limits on memory and time; what it hands over is checked
// again.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_HDF5_HELPER_H
#define SLT_HDF5_HELPER_H

#include <hdf5.h>
#include "core/context_impl.h"
#include "core/safetensors.h"

// hdf5_tree.c: walking a file. Only hard links are followed, and only data inside of the file is
// read, so that a file cannot make us read another one.

// opens an object below `parent`; gives -1 when it is not there or not of that kind
hid_t slt_hdf5_group(hid_t parent, const char *path);
hid_t slt_hdf5_dataset(hid_t parent, const char *path);

// a column of numbers in each episode: a data set, or all numeric ones of a group after one
// another
enum { SLT_LEAVES = 64, SLT_LEAF_NAME = 256, SLT_LEAF_LIST = 512 };

typedef struct {
    char name[SLT_LEAF_NAME]; // path below the episode
    int rank;                 // with the steps
    int64_t shape[SLT_ARRAY_RANK];
    int64_t width;   // numbers per step
    slt_dtype dtype; // as which it is handed over: U8, I64 or F32
} slt_leaf;

typedef struct {
    slt_leaf leaves[SLT_LEAVES];
    int count;
    int64_t width;                // of all leaves
    slt_dtype dtype;              // of all leaves
    char left_out[SLT_LEAF_LIST]; // names of pictures that were not taken, with commas
} slt_hdf5_field;

// hdf5_layout.c: where a layout keeps things; NULL: nowhere
typedef struct {
    const char *name;
    const char *probe;   // there is such a group or data set
    const char *episode; // name of episode number %d; NULL: the whole file is one table
    const char *folder;  // the group of the episodes
    const char *actions, *observations, *next, *rewards, *terminated, *truncated, *segment,
        *subtask;
} slt_hdf5_layout;

slt_status slt_hdf5_find_layout(hid_t file, const slt_hdf5_layout **out);

// what is taken: patterns as in data/source.h; NULL: the default of the layout
typedef struct {
    const char *actions, *observations;
    const char *labels; // of `label`: a file with `segment` and `episode_offsets`
} slt_hdf5_choice;

// looks at `path` in an episode; count 0 when there is nothing
slt_status slt_hdf5_column(hid_t episode, const char *path, slt_hdf5_field *out);
// the same without pictures: what has two or more dimensions and at least 16 x 16 numbers per step
slt_status slt_hdf5_column_plain(hid_t episode, const char *path, slt_hdf5_field *out);
// all numeric data sets of an episode whose path, or path below `folder`, matches; FORMAT, with
// `what` and what there is, when none does
slt_status slt_hdf5_column_chosen(hid_t episode, const char *patterns, const char *folder,
                                  const char *what, slt_hdf5_field *out);
// the data sets of `column` with `to` instead of `from` in front; count 0 unless all are there
slt_status slt_hdf5_column_moved(hid_t episode, const slt_hdf5_field *column, const char *from,
                                 const char *to, slt_hdf5_field *out);
// hdf5_names.c: a name for each number of a column, with commas, as metadata; none where they say
// nothing
void slt_hdf5_put_names(slt_safetensors_writer *writer, const char *key,
                        const slt_hdf5_field *column, const char *folder);
// number of steps of the first leaf in this episode; FORMAT when a leaf differs from the column
slt_status slt_hdf5_rows(hid_t episode, const slt_hdf5_field *column, int64_t *out);
// reads rows [first, first+count) into room for count*width elements; scratch as large
slt_status slt_hdf5_read_rows(hid_t episode, const slt_hdf5_field *column, int64_t first,
                              int64_t count, void *out, void *scratch);

// hdf5_mask.c: the splits of a robomimic file, 0 for episodes that no mask names
slt_status slt_hdf5_masks(hid_t file, int64_t *splits, int64_t episodes, bool *any);

// INSIDE of the file there is such an object
bool slt_hdf5_has(hid_t parent, const char *path);

// hdf5_read.c, hdf5_write.c and hdf5_label.c: the three things the program does
slt_status slt_hdf5_to_arrays(slt_context *context, const char *path, const char *out,
                              const slt_hdf5_choice *choice);
slt_status slt_hdf5_from_dataset(slt_context *context, const char *native, const char *out,
                                 const slt_hdf5_choice *none);
slt_status slt_hdf5_label(slt_context *context, const char *path, const char *out,
                          const slt_hdf5_choice *choice);

#endif
