// The handles of the emulated Level Zero: none is taken again, so that one which is used after it is destroyed is known.
#pragma once
#include "../common/emulator.h"
#include "ffi/ze_driver.h"

namespace ze {

enum class Is { driver, device, context, list, pool, event, module, log, kernel, memory };

struct Handle;

struct Command {
  enum { BARRIER, COPY, FILL, LAUNCH };
  int kind; // of these
  Handle* signal; // an event, or null
  void* to;
  const void* from;
  uint64_t bytes;
  uint32_t word;
  uint64_t number; // of a launch
  emulator::Function* function;
  TfLaunch launch;
  TfArgument arguments[64];
};

struct Handle {
  Is kind;
  bool gone;
  Handle *parent, *next; // parent: what must not be destroyed before it
  uint32_t children;
  uint64_t start, bytes; // of memory; of a kernel, bytes are the most threads of a group
  emulator::Context* context;
  emulator::Module* module;
  emulator::Function* function;
  int device;
  bool signalled;        // of an event
  Handle* promised;      // the list whose command is to signal it
  bool hangs;            // of a list
  uint32_t group[3];     // of a kernel, and a bit an argument that has a value
  uint64_t set;
  TfArgument values[64];
  Command* queue;        // of a list, in the order of their appending
  uint32_t queued;
};

Handle* make(Is kind, Handle* parent);
// The object of a handle; null, and a violation, where it is none of this kind or is destroyed.
Handle* live(void* handle, Is kind);
int32_t destroy(void* handle, Is kind);
// The live memory that an address lies in.
Handle* memory_at(const void* address);

} // namespace ze
