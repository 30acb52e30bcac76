// The vote on the page: the groups of runs, and the answers that runs of the chosen one agree on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/page_parts.h"

#include "report/report_text.h"

static void put_number(slt_text *out, double value, int decimals) {
    char text[SLT_FIXED_TEXT];
    slt_text_add(out, "<td>%s</td>", slt_fixed(value, decimals, text));
}

static void put_group(slt_text *out, const slt_vote_group *g, bool chosen) {
    slt_text_add(out, "<tr%s><th scope=\"row\">%s%s</th><td>%d</td>",
                 chosen ? " class=\"mean\"" : "", g->name, chosen ? " <small>answers</small>" : "",
                 g->runs);
    put_number(out, g->segments, 1);
    put_number(out, g->trust, 2);
    put_number(out, g->expected, 2);
    put_number(out, g->equal, 2);
    put_number(out, g->support, 2);
    put_number(out, g->certainty, 2);
    put_number(out, g->agreement, 2);
    slt_text_add(out, "</tr>\n");
}

static void put_answers(slt_text *out, const slt_vote_group *g) {
    char text[SLT_FIXED_TEXT];
    slt_text_add(out, "<ol class=\"answers\">");
    for (int i = 0; i < g->answer_count; i++) {
        slt_text_add(out, "<li><b>%d of %d runs</b>, %s segments: <bdi>", g->answers[i].runs,
                     g->runs, slt_fixed(g->answers[i].segments, 1, text));
        slt_html_text(out, g->answers[i].words);
        slt_text_add(out, "</bdi></li>");
    }
    slt_text_add(out, "</ol>\n<p class=\"note\">Answers that runs agree on among themselves. "
                      "<code>slottar segment --answer 2</code> takes the second.</p>\n");
}

void slt_page_vote(const slt_report_run *run, slt_text *out) {
    const slt_vote_result *vote = run->vote;
    const slt_vote_group *chosen = &vote->groups[vote->chosen];
    slt_text_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"vote\">"
                      "<table class=\"scores\" data-vote><caption>The vote, told <bdi>");
    slt_html_text(out, vote->told);
    slt_text_add(out, "</bdi>: trust is the least of the four after it</caption><thead><tr>"
                      "<th scope=\"col\">Group</th><th scope=\"col\">Runs</th>"
                      "<th scope=\"col\">Segments</th><th scope=\"col\">Trust</th>"
                      "<th scope=\"col\">Expected F1</th><th scope=\"col\">Equal weights</th>"
                      "<th scope=\"col\">Support</th><th scope=\"col\">Certainty</th>"
                      "<th scope=\"col\">Agreement</th>"
                      "</tr></thead>\n<tbody>");
    for (int g = 0; g < vote->group_count; g++) put_group(out, &vote->groups[g], g == vote->chosen);
    slt_text_add(out, "</tbody></table></div>\n");
    if (chosen->answer_count > 1) put_answers(out, chosen);
}
