// The report, stage by stage: runs, their data sets, their answers, scores, then page and figures.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/file.h"
#include "core/output_impl.h"
#include "report/report_impl.h"

// ---- runs and sets

// runs with the same data belong together
static slt_status place_run(slt_report_book *book, int index) {
    slt_report_run *run = &book->runs[index];
    const char *path = book->request->data ? book->request->data : run->data_path;
    if (!path)
        SLT_FAIL(SLT_INVALID, "%s: it does not say what it was trained on; name a data set",
                 run->path);
    int s = 0;
    while (s < book->set_count && strcmp(book->sets[s].path, path) != 0) s++;
    slt_report_set *set = &book->sets[s];
    if (s == book->set_count) {
        set->path = path;
        set->whole = run->vote != NULL;
        book->set_count++;
        slt_status status = slt_report_open_set(book, set);
        if (status == SLT_IO && !book->request->data)
            SLT_FAIL(SLT_IO,
                     "%s; %s was trained on it, in another folder perhaps: name the data set with "
                     "--data",
                     slt_last_error(), run->path);
        SLT_TRY(status);
    }
    run->set = s;
    set->runs[set->run_count++] = index;
    return SLT_OK;
}

static slt_status read_runs(slt_report_book *book) {
    for (int i = 0; i < book->request->run_count; i++) {
        slt_report_run *run = &book->runs[i];
        run->path = book->request->runs[i];
        SLT_TRY(slt_report_read_run(book, run));
        book->run_count++;
        SLT_TRY(place_run(book, i));
    }
    return SLT_OK;
}

static slt_status score_runs(slt_report_book *book) {
    for (int i = 0; i < book->run_count; i++) {
        slt_context_progress(book->context, "report", (uint64_t)i, (uint64_t)book->run_count, "");
        SLT_TRY(slt_report_ask(book, &book->runs[i]));
        SLT_TRY(slt_report_add_types(book, &book->runs[i]));
        SLT_TRY(slt_report_score(book, &book->runs[i]));
    }
    for (int i = 0; i < book->set_count; i++) SLT_TRY(slt_report_choose(book, &book->sets[i]));
    return SLT_OK;
}

// ---- writing

static slt_status write_page(slt_report_book *book, slt_report_result *result) {
    slt_text page;
    slt_text_init(&page, &book->context->allocator);
    slt_status status = slt_report_page(book, &page);
    if (status == SLT_OK) status = page.status;
    if (status == SLT_OK) status = slt_file_write(book->request->page, page.bytes, page.length);
    result->page_bytes = page.length;
    slt_text_deinit(&page);
    return status;
}

// locks of what is written: the folder first, the page may lie in it
typedef struct {
    slt_lock figures, page;
} claims;

static slt_status claim(slt_report_book *book, claims *out) {
    const slt_report_request *request = book->request;
    const char *inputs[2 * SLT_REPORT_RUNS];
    int count = 0;
    for (int i = 0; i < request->run_count; i++) inputs[count++] = request->runs[i];
    for (int i = 0; i < book->set_count; i++) inputs[count++] = book->sets[i].path;
    slt_output_request output = {.path = request->figures,
                                 .folder = true,
                                 .overwrite = request->overwrite,
                                 .inputs = inputs,
                                 .input_count = count};
    if (request->figures) {
        SLT_TRY(slt_output_claim(&out->figures, book->context, &output));
        SLT_TRY(slt_folder_make(request->figures));
    }
    output.path = request->page;
    output.folder = false;
    return request->page ? slt_output_claim(&out->page, book->context, &output) : SLT_OK;
}

static slt_status make(slt_report_book *book, claims *claimed, slt_report_result *result) {
    const slt_report_request *request = book->request;
    SLT_TRY(read_runs(book));
    SLT_TRY(claim(book, claimed));
    SLT_TRY(score_runs(book));
    if (request->figures) SLT_TRY(slt_report_figures(book, request->figures, &result->figures));
    if (request->page) SLT_TRY(write_page(book, result));
    for (int i = 0; i < book->set_count; i++) {
        result->trajectories += book->sets[i].count;
        result->left_out += book->sets[i].left_out;
        result->detailed += book->sets[i].chosen_count;
    }
    return SLT_OK;
}

static slt_status check(const slt_report_request *request) {
    if (request->run_count < 1 || request->run_count > SLT_REPORT_RUNS)
        SLT_FAIL(SLT_INVALID, "%d runs: a report shows 1 to %d", request->run_count,
                 SLT_REPORT_RUNS);
    if (!request->page && !request->figures)
        SLT_FAIL(SLT_INVALID, "neither a page nor a folder for figures is named");
    if (request->detailed < 0 || request->detailed > SLT_REPORT_MOST)
        SLT_FAIL(SLT_RANGE, "%d trajectories in detail: 0 to %d are possible", request->detailed,
                 SLT_REPORT_MOST);
    if ((unsigned)request->split >= SLT_SPLITS)
        SLT_FAIL(SLT_RANGE, "there is no split %d", (int)request->split);
    return SLT_OK;
}

slt_status slt_report(slt_context *context, const slt_report_request *request,
                      slt_report_result *result) {
    slt_report_book *book;
    slt_report_result made = {0};
    SLT_TRY(check(request));
    SLT_TRY(SLT_ALLOC(&context->allocator, &book, 1));
    book->context = context;
    book->request = request;
    slt_arena_init(&book->arena, &context->allocator, 1 << 20);
    claims claimed = {0};
    slt_status status = make(book, &claimed, &made);
    slt_lock_release(&claimed.page);
    slt_lock_release(&claimed.figures);
    for (int i = 0; i < book->set_count; i++) slt_dataset_close(book->sets[i].data);
    slt_arena_deinit(&book->arena);
    slt_free(&context->allocator, book);
    if (status == SLT_OK && result) *result = made;
    return status;
}
