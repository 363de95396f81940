// What begins every function of the emulated loader.
#pragma once
#include "run.h"

using namespace emulator;
using namespace ze;

#define ZE extern "C" __attribute__((visibility("default"))) int32_t
#define BEGIN Lock lock(__func__)
#define USE(handle, KIND) \
  BEGIN;                  \
  Handle* o;              \
  if (int32_t status = use(handle, KIND, &o)) return status

// Whether a struct says that it is one of this type, and has no other behind it.
bool is_typed(const void* properties, uint32_t stype);
// Of a driver's or a device's handle.
int32_t of(void* handle, Is kind);
// An object whose context still answers.
int32_t use(void* handle, Is kind, Handle** object);
// Of the events that a command is to wait for: none.
int32_t waits_for_none(uint32_t count, ZEvent* events);
// The event that a command signals, or null.
Handle* signal_of(ZEvent event);
