// slottar-hdf5 read IN OUT [CHOICE] | write IN OUT | label IN OUT labels=FILE: called by the
// library, not by people. Prints one line on standard error and exits with 1 when it fails; the
// caller puts the file's name in front.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "hdf5/hdf5_helper.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 // sanitizers reserve terabytes
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static void limit(int resource, rlim_t most) { setrlimit(resource, &(struct rlimit){most, most}); }

// memory: 4 GiB; time: a minute, and a second for each 2 MiB of the file
static void set_limits(const char *path) {
    struct stat info;
    rlim_t megabytes = stat(path, &info) == 0 ? (rlim_t)info.st_size >> 20 : 0;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 60 + megabytes / 2);
#ifndef SANITIZED
    limit(RLIMIT_AS, (rlim_t)4 << 30);
#endif
}

// "actions=PATTERNS", "observations=PATTERNS", "labels=FILE"
static bool read_choice(int count, char **words, slt_hdf5_choice *out) {
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "actions=", 8) == 0)
            out->actions = words[i] + 8;
        else if (strncmp(words[i], "observations=", 13) == 0)
            out->observations = words[i] + 13;
        else if (strncmp(words[i], "labels=", 7) == 0)
            out->labels = words[i] + 7;
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); // whatever a loaded library sets
    static const struct {
        const char *name;
        slt_status (*run)(slt_context *context, const char *in, const char *out,
                          const slt_hdf5_choice *choice);
    } tasks[] = {
        {"read", slt_hdf5_to_arrays}, {"write", slt_hdf5_from_dataset}, {"label", slt_hdf5_label}};
    enum { TASKS = sizeof tasks / sizeof *tasks };
    size_t task = 0;
    slt_hdf5_choice choice = {0};
    while (argc > 3 && task < TASKS && strcmp(argv[1], tasks[task].name) != 0) task++;
    if (argc < 4 || task == TASKS || !read_choice(argc - 4, argv + 4, &choice))
        return fputs("usage: slottar-hdf5 read|write|label IN OUT [actions=P] [observations=P] "
                     "[labels=FILE]\n",
                     stderr),
               2;
    set_limits(argv[2]);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // we say it ourselves
    H5PLset_loading_state(0);              // no foreign code
    slt_context *context;
    slt_status status = slt_context_create(&(slt_context_options){.threads = 1}, &context);
    if (status == SLT_OK) {
        status = tasks[task].run(context, argv[2], argv[3], &choice);
        slt_context_destroy(context);
    }
    if (status != SLT_OK) fprintf(stderr, "%s\n", slt_last_error());
    return status != SLT_OK;
}
