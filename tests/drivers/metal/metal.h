// What Metal's objects are here: a command queue is a context of the emulator, and so is all of the device it was made for.
#pragma once
#include "objc.h"

namespace objc {

struct Gpu : Thing {
  int index;
  emulator::Context* context; // of its queue
};
struct Queue : Thing {
  Gpu* gpu;
};
struct Memory : Thing {
  Gpu* gpu;
  uint64_t start, bytes;
};
struct Library : Thing {
  Gpu* gpu;
  emulator::Module* module;
};
struct Function : Thing {
  Library* library;
  emulator::Function* function;
};
struct Pipeline : Thing {
  Function* function;
};
struct Reflection : Thing {
  Pipeline* pipeline;
};
struct Argument : Thing {
  Count type, index;
};

struct Launch {
  Pipeline* pipeline;
  TfArgument buffers[32], locals[8]; // kind 3: not set
  MtlSize grid, group;
  bool dispatched;
};

struct Encoder;
struct Commands : Thing {
  Gpu* gpu;
  Launch* launches;
  uint32_t count_of;
  Encoder* open;     // that is not ended
  bool committed, looked;
  Count status;
  Error* error;
};
struct Encoder : Thing {
  Commands* commands;
  Launch launch;
  bool ended;
};

extern const Class GPU, QUEUE, MEMORY, LIBRARY, FUNCTION, PIPELINE, REFLECTION, BARE_REFLECTION, ARGUMENT, COMMANDS, ENCODER;

inline const TfKernel* entry_of(const Pipeline* p) { return p->function->function->kernel->entry; }
Commands* commands_of(Gpu* gpu);

} // namespace objc

#define TOLD emulator::Lock lock((const char*)s)
