// How the emulated GPU runs a command list.
#pragma once
#include "objects.h"

namespace ze {

Command* append(Handle* list, int kind, Handle* signal);
// Runs what a list holds, as late as a GPU may. Commands between two barriers have no order: the last of them runs first.
int32_t run(Handle* list);
// What the emulator's answer is in Level Zero.
int32_t result_of(emulator::Code code);

} // namespace ze
