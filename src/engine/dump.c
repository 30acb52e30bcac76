// A look at a tape: a line of text per node, or a picture for Graphviz.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "core/file.h"
#include "engine/tape_impl.h"

static const char *var_name(const slt_tape *tape, slt_var var, char *text, size_t size) {
    const slt_var_info *info = &tape->vars[var];
    if (info->origin == SLT_FROM_NODE)
        snprintf(text, size, "%%%d", var);
    else
        snprintf(text, size, "%s", info->name);
    return text;
}

static void text_node(slt_writer *out, const slt_tape *tape, int n) {
    const slt_node_info *info = &tape->nodes[n];
    char name[128], shape[64];
    for (int i = 0; i < info->node.outputs; i++) {
        slt_var var = info->node.out[i];
        slt_write_text(out, "%s%%%d %s", i ? ", " : "", var,
                       slt_var_shape_text(tape->vars[var].shape, shape, sizeof shape));
    }
    slt_write_text(out, " = %s(", info->node.op->name);
    for (int i = 0; i < info->node.inputs; i++)
        slt_write_text(out, "%s%s", i ? ", " : "",
                       info->node.in[i] ? var_name(tape, info->node.in[i], name, sizeof name)
                                        : "-");
    slt_write_text(out, ")%s\n", info->runs_backward ? "" : "    # forward only");
}

void slt_fused_text(const slt_tape *tape, slt_fusion fusion, int n, char *text, size_t size) {
    const slt_device_kind *device = slt_tape_device(tape);
    slt_fused fused = {.why = "the CPU runs node by node"};
    int end = slt_group_end(tape, n, fusion);
    if (device && device->fused) device->fused(tape, fusion, n, &fused);
    if (fused.why)
        snprintf(text, size, "%s, nodes %d to %d: not one launch: %s", slt_fusion_name(fusion), n,
                 end, fused.why);
    else
        snprintf(text, size, "%s, nodes %d to %d: %d to %d are one launch", slt_fusion_name(fusion),
                 n, end, fused.first, fused.last);
}

bool slt_fused_part(const slt_tape *tape, int *fusion, int *n) {
    for (; *fusion < SLT_FUSIONS; ++*fusion, *n = -1)
        while (++*n < tape->node_count)
            if (tape->nodes[*n].group[*fusion] == *n + 1) return true;
    return false;
}

static void dump_text(slt_writer *out, const slt_tape *tape) {
    slt_write_text(out, "# %d nodes, %d variables, %zu bytes planned\n", tape->node_count,
                   tape->var_count - 1, slt_tape_bytes(tape));
    for (int n = 0; n < tape->node_count; n++) text_node(out, tape, n);
    char text[256];
    for (int fusion = 0, n = -1; slt_fused_part(tape, &fusion, &n);) {
        slt_fused_text(tape, (slt_fusion)fusion, n, text, sizeof text);
        slt_write_text(out, "# %s\n", text);
    }
}

static void graph_node(slt_writer *out, const slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    char shape[64], name[128];
    slt_shape first = tape->vars[node->out[0]].shape;
    slt_write_text(out, "  n%d [label=\"%s\\n%s\"];\n", n, node->op->name,
                   slt_var_shape_text(first, shape, sizeof shape));
    for (int i = 0; i < node->inputs; i++) {
        if (!node->in[i]) continue;
        const slt_var_info *var = &tape->vars[node->in[i]];
        if (var->origin == SLT_FROM_NODE) {
            slt_write_text(out, "  n%d -> n%d;\n", var->node, n);
            continue;
        }
        slt_write_text(out, "  v%d [label=\"%s\", shape=%s, style=filled, fillcolor=%s];\n",
                       node->in[i], var_name(tape, node->in[i], name, sizeof name),
                       var->origin == SLT_FROM_FEED ? "box" : "note",
                       var->origin == SLT_FROM_FEED ? "lightblue" : "lightyellow");
        slt_write_text(out, "  v%d -> n%d;\n", node->in[i], n);
    }
}

static void dump_graph(slt_writer *out, const slt_tape *tape) {
    slt_write_text(out, "digraph tape {\n  node [shape=ellipse, fontname=\"sans\"];\n");
    for (int n = 0; n < tape->node_count; n++) graph_node(out, tape, n);
    slt_write_text(out, "}\n");
}

slt_status slt_tape_dump(const slt_tape *tape, const char *path, bool graph) {
    slt_writer out;
    SLT_TRY(slt_writer_open(&out, path));
    (graph ? dump_graph : dump_text)(&out, tape);
    return slt_writer_commit(&out);
}
