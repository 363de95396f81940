#pragma once

// A group's shape. Host and kernels share THREADS: it comes with -D, and 256 is what every launch uses today.
#ifndef THREADS
#define THREADS 256
#endif

// The lanes of a reduction by shuffles: a whole wave32, or each half of a wave64. "Wave" below means LANES lanes.
constexpr unsigned LANES = 32;
constexpr unsigned WAVES = THREADS / LANES;
