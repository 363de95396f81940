#include "objects.h"
#include <stdlib.h>

namespace ze {

static Handle* objects;
static const char* const NAMES[] = { "driver", "device", "context", "command list", "event pool", "event", "module",
  "build log", "kernel", "buffer" };

Handle* make(Is kind, Handle* parent) {
  Handle* o = (Handle*)calloc(1, sizeof(Handle));
  if (!o) abort();
  o->kind = kind;
  o->parent = parent;
  o->next = objects;
  objects = o;
  if (!parent) return o;
  parent->children++;
  o->context = parent->context;
  return o;
}

static Handle* find(void* handle) {
  for (Handle* o = objects; o; o = o->next)
    if (o == handle) return o;
  return nullptr;
}

Handle* live(void* handle, Is kind) {
  Handle* o = find(handle);
  if (!o || o->kind != kind) emulator::violation("%p is no %s", handle, NAMES[(int)kind]);
  else if (o->gone) emulator::violation("the %s is destroyed", NAMES[(int)kind]);
  else return o;
  return nullptr;
}

int32_t destroy(void* handle, Is kind) {
  Handle* o = live(handle, kind);
  if (!o) return Z_ERROR_INVALID_NULL_HANDLE;
  if (o->children) emulator::note("leak", "%u objects of a %s", o->children, NAMES[(int)kind]);
  o->gone = true;
  o->parent->children--;
  return Z_SUCCESS;
}

Handle* memory_at(const void* address) {
  for (Handle* o = objects; o; o = o->next)
    if (o->kind == Is::memory && !o->gone && (uint64_t)address - o->start < o->bytes) return o;
  return nullptr;
}

} // namespace ze
