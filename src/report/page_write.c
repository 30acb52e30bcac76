// The page: what can be read without scripts, then the data, then the scripts.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "report/figure.h"
#include "report/page_files.h"
#include "report/page_parts.h"
#include "report/report_text.h"
#include "slottar/version.h"

static void put_file(slt_text *out, slt_page_file file) {
    slt_text_put(out, file.bytes, file.size);
}

// nothing may be asked for from outside: the policy makes sure
static void put_head(slt_report_book *book, slt_text *out) {
    slt_text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"generator\" content=\"slottar " SLT_VERSION "\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    slt_html_text(out, book->set_count == 1 ? book->sets[0].name : "slottar");
    slt_text_add(out, ": what was found</title>\n<style>\n");
    put_file(out, slt_page_theme_css());
    put_file(out, slt_page_figure_css());
    put_file(out, slt_page_page_css());
    slt_text_add(out, "</style>\n</head>\n<body>\n"
                      "<a class=\"skip\" href=\"#browse\">To the trajectories</a>\n");
}

static void put_top(slt_report_book *book, slt_text *out) {
    slt_text_add(out, "<header class=\"top\">\n<div class=\"bar\"><span class=\"logo\" "
                      "aria-hidden=\"true\"><i></i><i></i><i></i><i></i></span>"
                      "<nav aria-label=\"parts\">");
    for (int s = 0; s < book->set_count; s++) {
        slt_text_add(out, "<a href=\"#set%d\"><bdi>", s + 1);
        slt_html_text(out, book->sets[s].name);
        slt_text_add(out, "</bdi></a>");
    }
    slt_text_add(out, "<a href=\"#browse\">Trajectories</a><a href=\"#gallery\">Sub-routines</a>"
                      "<a href=\"#about\">About</a></nav>"
                      "<button id=\"theme\" type=\"button\" hidden>Dark</button></div>\n<h1>");
    if (book->set_count == 1) {
        slt_text_add(out, "Sub-routines found in <bdi>");
        slt_html_text(out, book->sets[0].name);
        slt_text_add(out, "</bdi>");
    } else {
        slt_text_add(out, "Sub-routines found in %d data sets", book->set_count);
    }
    slt_text_add(out, "</h1>\n</header>\n<main>\n");
}

// the figures of one part of a section
static slt_status put_figures(slt_report_book *book, const slt_report_set *set, slt_text *out,
                              const char *part) {
    for (int i = 0; slt_figure_row(i); i++) {
        const slt_figure *row = slt_figure_row(i);
        size_t start = out->length;
        if (strcmp(row->part, part) != 0) continue;
        slt_text_add(out,
                     "<figure class=\"card\" data-figure=\"%s\"><h4>%s</h4><div class=\"pic\">",
                     row->name, row->title);
        size_t before = out->length;
        SLT_TRY(row->draw(book, set, out));
        if (out->length == before)
            out->length = start; // nothing to show
        else
            slt_text_add(out, "</div><figcaption>%s</figcaption></figure>\n", row->caption);
    }
    return out->status;
}

static slt_status put_set(slt_report_book *book, int index, slt_text *out) {
    static const struct {
        const char *part, *title, *class;
    } parts[] = {
        {"training", "Training", "cards"},
        {"found", "What was found", "cards"},
        {"slots", "How the model sees it", "cards wide"},
    };
    const slt_report_set *set = &book->sets[index];
    slt_text_add(out, "<section class=\"set\" id=\"set%d\">\n", index + 1);
    slt_page_summary(book, index, out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t start = out->length;
        slt_text_add(out, "<h3>%s</h3>\n<div class=\"%s\">\n", parts[i].title, parts[i].class);
        size_t before = out->length;
        SLT_TRY(put_figures(book, set, out, parts[i].part));
        if (out->length == before)
            out->length = start; // nothing to show
        else
            slt_text_add(out, "</div>\n");
    }
    slt_text_add(out, "</section>\n");
    return out->status;
}

// filled by the scripts
static void put_stage(slt_text *out) {
    slt_text_add(
        out,
        "<section id=\"browse\"><h2>Trajectories</h2>\n"
        "<noscript><p class=\"note\">The browser of trajectories needs scripts.</p></noscript>\n"
        "<div id=\"browser\"></div></section>\n"
        "<section id=\"gallery\"><h2>Gallery of sub-routines</h2>\n<div "
        "id=\"shelf\"></div></section>\n");
}

static slt_status put_data(slt_report_book *book, slt_text *out) {
    slt_text_add(out, "<script type=\"application/json\" id=\"data\">");
    SLT_TRY(slt_report_document(book, out));
    slt_text_add(out, "</script>\n<script>\n\"use strict\";\n(function () {\n");
    put_file(out, slt_page_scripts());
    slt_text_add(out, "})();\n</script>\n</body>\n</html>\n");
    return out->status;
}

slt_status slt_report_page(slt_report_book *book, slt_text *out) {
    put_head(book, out);
    put_top(book, out);
    for (int i = 0; i < book->set_count; i++) SLT_TRY(put_set(book, i, out));
    put_stage(out);
    slt_page_about(book, out);
    slt_text_add(out, "</main>\n");
    return put_data(book, out);
}
