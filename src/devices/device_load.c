// Loading libslottar_cuda.so, where there is a driver for it. It is looked for next to the library
// or the command, where an installed command has its libraries, and where the wheel slottar-cuda
// puts it. SLOTTAR_CUDA names another one. It stays loaded until the process ends.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "devices/device_load.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/near_file.h"
#include "engine/device_plugin.h"

#define PLUGIN "libslottar_cuda.so"

static slt_status find_plugin(char out[SLT_NEAR_PATH]) {
    static const char *const places[] = {".", SLT_BIN_LIB, "../slottar_cuda", NULL};
    if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
        SLT_FAIL(SLT_DEVICE, "no NVIDIA driver (libcuda.so.1)");
    if (slt_near_file(places, PLUGIN, R_OK, out)) return SLT_OK;
    SLT_FAIL(SLT_DEVICE,
             PLUGIN " is not installed: pip install slottar[cuda], or build with SLT_CUDA=ON");
}

static slt_status load(const char *path, void **out) {
    char own[SLT_NEAR_PATH];
    // it calls the library that loads it, which Python, for one, has loaded for itself alone
    slt_own_path(own);
    dlopen(own, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out) return SLT_OK;
    const char *why = dlerror();
    SLT_FAIL(SLT_DEVICE, "%.300s cannot be loaded: %.300s%s", path, why ? why : "unknown",
             why && strstr(why, "cublas") ? "; pip install nvidia-cublas" : "");
}

slt_status slt_device_load(const slt_device_kind **out) {
    char found[SLT_NEAR_PATH];
    const char *path = getenv("SLOTTAR_CUDA");
    if (!path || !path[0]) {
        SLT_TRY(find_plugin(found));
        path = found;
    }
    void *plugin;
    SLT_TRY(load(path, &plugin));
    slt_device_plugin_call *call;
    *(void **)&call = dlsym(plugin, SLT_DEVICE_PLUGIN);
    slt_device_host host = slt_device_host_here();
    *out = call ? call(&host) : NULL;
    if (!*out)
        SLT_FAIL(SLT_DEVICE, "%.300s is of another version of slottar than %s", path, SLT_VERSION);
    return SLT_OK;
}
