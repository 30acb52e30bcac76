// Functions that are the same on the host and on a device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_HOST_DEVICE_H
#define SLT_CORE_HOST_DEVICE_H

#ifdef __CUDACC__
#define SLT_HOST_DEVICE __host__ __device__ static inline
#else
#define SLT_HOST_DEVICE static inline
#endif

#endif
