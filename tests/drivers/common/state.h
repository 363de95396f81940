// What the parts of the emulated driver share beyond emulator.h.
#pragma once
#include "emulator.h"

namespace emulator {

// Counts since TF_EMULATE was read anew, and what has ended for the whole process.
struct State {
  uint64_t allocations, images, launches;
  bool stuck;    // a launch hangs that keeps its context from ending
  bool gone;     // the device was removed
  bool poisoned; // a fault that outlives its context
};
extern State state;

inline unsigned long long address_of(uint64_t value) { return value; } // for printf

// The code of a context that is lost; from here on its caller knows.
Code tell(Context* context);
// Runs what is queued before a call that waits for it; a launch that never ends is a violation there.
Code settle(Context* context);

} // namespace emulator
