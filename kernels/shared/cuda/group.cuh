#pragma once

// A group's shape. Host and kernels share THREADS: it comes with -D, and 256 is what every launch uses today.
#ifndef THREADS
#define THREADS 256
#endif

constexpr unsigned LANES = 32;
constexpr unsigned WARPS = THREADS / LANES;
constexpr unsigned ALL_LANES = 0xffffffffu;
