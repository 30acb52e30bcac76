// CRC-32C (Castagnoli), the check sum of TensorBoard's records.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_CRC32C_H
#define SLT_CORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t slt_crc32c(const void *bytes, size_t count);

#endif
