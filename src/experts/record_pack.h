// Records on their way from one process to another: what a data set takes of them, end to end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_RECORD_PACK_H
#define SLT_EXPERTS_RECORD_PACK_H

#include "experts/episode_record.h"

// O: bytes of a view that is kept as bytes
size_t slt_record_packed(const slt_record *record, size_t O);
// writes slt_record_packed bytes, gives their end
unsigned char *slt_record_pack(const slt_record *record, size_t O, unsigned char *to);
// reads a record of one of the same play into `record`, and moves *from after it; INTERNAL when
// the bytes do not hold one
slt_status slt_record_unpack(slt_record *record, const slt_play_rules *rules, size_t O,
                             const unsigned char **from, const unsigned char *end);

#endif
