// Walking HDF5 files with care.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "data/source.h"
#include "hdf5/hdf5_helper.h"

// ---- links

typedef enum { ABSENT, INSIDE, OUTSIDE } place;

// INSIDE when every part of the path is a hard link
static place find(hid_t parent, const char *path) {
    char part[SLT_LEAF_NAME];
    for (const char *end = path; *end;) {
        end += strcspn(end, "/");
        if ((size_t)(end - path) >= sizeof part) return ABSENT;
        memcpy(part, path, (size_t)(end - path));
        part[end - path] = 0;
        H5L_info_t info;
        if (H5Lget_info(parent, part, &info, H5P_DEFAULT) < 0) return ABSENT;
        if (info.type != H5L_TYPE_HARD) return OUTSIDE;
        end += *end == '/';
    }
    return INSIDE;
}

bool slt_hdf5_has(hid_t parent, const char *path) { return find(parent, path) == INSIDE; }

static hid_t open_kind(hid_t parent, const char *path, H5I_type_t kind) {
    if (find(parent, path) != INSIDE) return -1;
    hid_t object = H5Oopen(parent, path, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == kind) return object;
    if (object >= 0) H5Oclose(object);
    return -1;
}

hid_t slt_hdf5_group(hid_t parent, const char *path) { return open_kind(parent, path, H5I_GROUP); }

// data sets whose bytes lie in other files are not there for us
hid_t slt_hdf5_dataset(hid_t parent, const char *path) {
    hid_t dataset = open_kind(parent, path, H5I_DATASET);
    if (dataset < 0) return -1;
    hid_t plan = H5Dget_create_plist(dataset);
    bool inside = plan >= 0 && H5Pget_layout(plan) != H5D_VIRTUAL &&
                  (H5Pget_layout(plan) != H5D_CONTIGUOUS || H5Pget_external_count(plan) == 0);
    if (plan >= 0) H5Pclose(plan);
    if (inside) return dataset;
    H5Dclose(dataset);
    return -1;
}

// ---- leaves

enum { PICTURE = 16 * 16 }; // numbers per step

// U8 for bytes and truth values, I64 for other whole numbers, F32 for floats
static bool find_dtype(hid_t dataset, slt_dtype *out) {
    hid_t type = H5Dget_type(dataset);
    if (type < 0) return false;
    H5T_class_t class = H5Tget_class(type);
    bool byte = H5Tget_size(type) == 1;
    bool sign = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    H5Tclose(type);
    if (class == H5T_FLOAT) return *out = SLT_DTYPE_F32, true;
    if (class == H5T_ENUM) return *out = SLT_DTYPE_U8, byte;
    if (class == H5T_INTEGER) return *out = byte && !sign ? SLT_DTYPE_U8 : SLT_DTYPE_I64, true;
    return false;
}

static slt_status find_shape(hid_t dataset, slt_leaf *leaf) {
    hsize_t dims[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank >= 0) rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    if (rank < 1 || rank > SLT_ARRAY_RANK)
        SLT_FAIL(SLT_FORMAT, "%s: %d dimensions", leaf->name, rank);
    leaf->rank = rank;
    leaf->width = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] > INT32_MAX)
            SLT_FAIL(SLT_FORMAT, "%s: a size of %llu", leaf->name, (unsigned long long)dims[i]);
        leaf->shape[i] = (int64_t)dims[i];
        if (i && (__builtin_mul_overflow(leaf->width, leaf->shape[i], &leaf->width) ||
                  leaf->width < 1 || leaf->width > INT32_MAX))
            SLT_FAIL(SLT_FORMAT, "%s: too many numbers per step, or none", leaf->name);
    }
    return SLT_OK;
}

static slt_status look(hid_t episode, slt_leaf *leaf, bool *numeric) {
    hid_t dataset = slt_hdf5_dataset(episode, leaf->name);
    if (dataset < 0) SLT_FAIL(SLT_FORMAT, "%s: no data set inside of the file", leaf->name);
    *numeric = find_dtype(dataset, &leaf->dtype);
    slt_status status = *numeric ? find_shape(dataset, leaf) : SLT_OK;
    H5Dclose(dataset);
    return status;
}

// ---- columns

typedef struct {
    hid_t episode;
    const char *patterns, *folder; // patterns NULL: everything
    bool plain;                    // no pictures
    slt_hdf5_field *column;
    char seen[SLT_LEAF_LIST]; // what was there, for a message
    slt_status status;
} walk;

// where the walk is
typedef struct {
    walk *in;
    const char *path;
    int depth;
} place_in_walk;

static slt_status add_all(walk *in, const char *path, int depth);

static void append(char list[SLT_LEAF_LIST], const char *name) {
    size_t length = strlen(list), more = strlen(name);
    if (length + more + 6 < SLT_LEAF_LIST)
        snprintf(list + length, SLT_LEAF_LIST - length, "%s%s", length ? "," : "", name);
    else if (length >= 4 && strcmp(list + length - 4, ",...") != 0 && length + 5 < SLT_LEAF_LIST)
        strcpy(list + length, ",...");
}

static bool is_wanted(const walk *in, const char *path) {
    size_t folder = in->folder ? strlen(in->folder) : 0;
    if (!in->patterns || slt_pattern_matches(in->patterns, path)) return true;
    bool below = folder && strncmp(path, in->folder, folder) == 0 && path[folder] == '/';
    return below && slt_pattern_matches(in->patterns, path + folder + 1);
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user) {
    (void)group, (void)info;
    place_in_walk *here = user;
    char path[SLT_LEAF_NAME];
    const char *between = here->path[0] ? "/" : "";
    walk *in = here->in;
    if (snprintf(path, sizeof path, "%s%s%s", here->path, between, name) >= (int)sizeof path)
        in->status = slt_fail(SLT_FORMAT, "%s: a long name inside", here->path);
    else
        in->status = add_all(in, path, here->depth + 1);
    return in->status == SLT_OK ? 0 : -1;
}

static slt_status add_leaf(walk *in, const char *path) {
    slt_leaf leaf = {0};
    bool numeric;
    if (snprintf(leaf.name, sizeof leaf.name, "%s", path) >= (int)sizeof leaf.name)
        SLT_FAIL(SLT_FORMAT, "a name of %zu characters", strlen(path));
    append(in->seen, path);
    if (!is_wanted(in, path)) return SLT_OK;
    SLT_TRY(look(in->episode, &leaf, &numeric));
    if (!numeric) return SLT_OK; // texts and packed pictures
    if (in->plain && leaf.rank > 2 && leaf.width >= PICTURE) {
        append(in->column->left_out, path);
        return SLT_OK;
    }
    if (in->column->count == SLT_LEAVES)
        SLT_FAIL(SLT_FORMAT, "%s: more than %d parts", path, SLT_LEAVES);
    in->column->leaves[in->column->count++] = leaf;
    return SLT_OK;
}

// path "": the episode itself
static slt_status add_all(walk *in, const char *path, int depth) {
    hid_t group = path[0] ? slt_hdf5_group(in->episode, path) : in->episode;
    if (group < 0) return add_leaf(in, path);
    place_in_walk here = {in, path, depth};
    if (depth > 4) in->status = slt_fail(SLT_FORMAT, "%s: nests too deep", path);
    herr_t code = in->status == SLT_OK
                      ? H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &here)
                      : -1;
    if (path[0]) H5Gclose(group);
    if (in->status == SLT_OK && code < 0) SLT_FAIL(SLT_FORMAT, "%s: could not be listed", path);
    return in->status;
}

// types and width of all leaves together
static slt_status sum_up(slt_hdf5_field *column, const char *path) {
    bool mixed = false;
    for (int i = 0; i < column->count; i++) {
        column->width += column->leaves[i].width;
        mixed |= column->leaves[i].dtype != column->leaves[0].dtype;
    }
    column->dtype = mixed || !column->count ? SLT_DTYPE_F32 : column->leaves[0].dtype;
    if (column->width > INT32_MAX) SLT_FAIL(SLT_FORMAT, "%s: too many numbers per step", path);
    return SLT_OK;
}

static slt_status find_column(hid_t episode, const char *path, bool plain, slt_hdf5_field *out) {
    *out = (slt_hdf5_field){.dtype = SLT_DTYPE_U8};
    if (find(episode, path) == ABSENT) return SLT_OK;
    if (find(episode, path) == OUTSIDE)
        SLT_FAIL(SLT_FORMAT, "%s: is a link; links are not followed", path);
    walk in = {.episode = episode, .plain = plain, .column = out};
    SLT_TRY(add_all(&in, path, 0));
    if (out->count == 0 && !out->left_out[0])
        SLT_FAIL(SLT_FORMAT, "%s: no numbers (pictures packed as JPEG are not read)", path);
    return sum_up(out, path);
}

slt_status slt_hdf5_column(hid_t episode, const char *path, slt_hdf5_field *out) {
    return find_column(episode, path, false, out);
}

slt_status slt_hdf5_column_plain(hid_t episode, const char *path, slt_hdf5_field *out) {
    return find_column(episode, path, true, out);
}

slt_status slt_hdf5_column_chosen(hid_t episode, const char *patterns, const char *folder,
                                  const char *what, slt_hdf5_field *out) {
    *out = (slt_hdf5_field){.dtype = SLT_DTYPE_U8};
    if (!patterns[0]) return SLT_OK;
    walk in = {.episode = episode, .patterns = patterns, .folder = folder, .column = out};
    SLT_TRY(add_all(&in, "", 0));
    if (out->count == 0)
        SLT_FAIL(SLT_FORMAT, "no key with numbers matches --%s '%.100s'; there are %s", what,
                 patterns, in.seen);
    return sum_up(out, what);
}

slt_status slt_hdf5_column_moved(hid_t episode, const slt_hdf5_field *column, const char *from,
                                 const char *to, slt_hdf5_field *out) {
    *out = (slt_hdf5_field){.dtype = SLT_DTYPE_U8};
    slt_hdf5_field found = *out;
    size_t front = strlen(from);
    for (int i = 0; i < column->count; i++) {
        const slt_leaf *leaf = &column->leaves[i];
        slt_leaf moved = {0};
        bool numeric = false;
        const char *rest = leaf->name + front;
        if (strncmp(leaf->name, from, front) != 0 || (*rest && *rest != '/')) return SLT_OK;
        if (snprintf(moved.name, sizeof moved.name, "%s%s", to, rest) >= (int)sizeof moved.name ||
            find(episode, moved.name) != INSIDE)
            return SLT_OK;
        SLT_TRY(look(episode, &moved, &numeric));
        if (!numeric || moved.width != leaf->width) return SLT_OK;
        found.leaves[found.count++] = moved;
    }
    *out = found;
    return sum_up(out, to);
}

static slt_status refuse_other(hid_t episode, const slt_leaf *found, const slt_leaf *want) {
    char name[64] = "an episode";
    if (H5Iget_name(episode, name, sizeof name) <= 0) snprintf(name, sizeof name, "an episode");
    if (found->width != want->width)
        SLT_FAIL(SLT_FORMAT, "%s: %s: %" PRId64 " numbers per step; the first episode has %" PRId64,
                 name, want->name, found->width, want->width);
    SLT_FAIL(SLT_FORMAT, "%s: %s: another type or shape than in the first episode", name,
             want->name);
}

slt_status slt_hdf5_rows(hid_t episode, const slt_hdf5_field *column, int64_t *out) {
    for (int i = 0; i < column->count; i++) {
        const slt_leaf *want = &column->leaves[i];
        slt_leaf leaf = *want;
        bool numeric;
        SLT_TRY(look(episode, &leaf, &numeric));
        bool same = numeric && leaf.rank == want->rank && leaf.width == want->width &&
                    leaf.dtype == want->dtype;
        for (int k = 1; same && k < leaf.rank; k++) same = leaf.shape[k] == want->shape[k];
        if (!same) return refuse_other(episode, &leaf, want);
        if (i && leaf.shape[0] != *out)
            SLT_FAIL(SLT_FORMAT, "%s: has %" PRId64 " steps, %s %" PRId64, want->name,
                     leaf.shape[0], column->leaves[0].name, *out);
        *out = leaf.shape[0];
    }
    return SLT_OK;
}

// ---- reading

static hid_t memory_type(slt_dtype dtype) {
    return dtype == SLT_DTYPE_F32   ? H5T_NATIVE_FLOAT
           : dtype == SLT_DTYPE_I64 ? H5T_NATIVE_INT64
                                    : H5T_NATIVE_UINT8;
}

static slt_status read_leaf(hid_t episode, const slt_leaf *leaf, slt_dtype dtype, int64_t first,
                            int64_t count, void *out) {
    hid_t dataset = slt_hdf5_dataset(episode, leaf->name);
    if (dataset < 0) SLT_FAIL(SLT_FORMAT, "%s: missing", leaf->name);
    hsize_t start[SLT_ARRAY_RANK] = {(hsize_t)first}, sizes[SLT_ARRAY_RANK] = {(hsize_t)count};
    for (int i = 1; i < leaf->rank; i++) sizes[i] = (hsize_t)leaf->shape[i];
    hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(leaf->rank, sizes, NULL);
    bool fine = file >= 0 && memory >= 0 && H5Sget_simple_extent_ndims(file) == leaf->rank &&
                H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, sizes, NULL) >= 0 &&
                H5Sselect_valid(file) > 0 &&
                H5Dread(dataset, memory_type(dtype), memory, file, H5P_DEFAULT, out) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    H5Dclose(dataset);
    if (!fine) SLT_FAIL(SLT_FORMAT, "%s: could not be read", leaf->name);
    return SLT_OK;
}

slt_status slt_hdf5_read_rows(hid_t episode, const slt_hdf5_field *column, int64_t first,
                              int64_t count, void *out, void *scratch) {
    if (column->count == 1)
        return read_leaf(episode, &column->leaves[0], column->dtype, first, count, out);
    // each row is made of the rows of the leaves
    size_t size = slt_dtype_size(column->dtype), at = 0;
    for (int i = 0; i < column->count; i++) {
        const slt_leaf *leaf = &column->leaves[i];
        size_t width = (size_t)leaf->width * size;
        SLT_TRY(read_leaf(episode, leaf, column->dtype, first, count, scratch));
        for (int64_t row = 0; row < count; row++)
            memcpy((char *)out + (size_t)row * (size_t)column->width * size + at,
                   (const char *)scratch + (size_t)row * width, width);
        at += width;
    }
    return SLT_OK;
}
