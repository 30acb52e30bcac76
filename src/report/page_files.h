// The files of src/report/page, built into the library (cmake/embed.cmake).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_PAGE_FILES_H
#define SLT_REPORT_PAGE_FILES_H

#include <stddef.h>

// a zero stands after the last byte
typedef struct {
    const char *bytes;
    size_t size;
} slt_page_file;

slt_page_file slt_page_theme_css(void);
slt_page_file slt_page_figure_css(void);
slt_page_file slt_page_page_css(void);
slt_page_file slt_page_scripts(void); // all of them, in their order

#endif
