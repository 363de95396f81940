// Handles and buffers. A handle is a place in one range that is never taken again, so that a stale one is known for what it was.
#include "emulator.h"
#include <stdio.h>
#include <stdlib.h>

namespace emulator {

constexpr uint64_t PLACE_BYTES = 1024, PLACES = 1 << 20; // address space alone, until it is used
constexpr int BUFFERS_MAX = 16384;
static_assert(sizeof(Context) <= PLACE_BYTES && sizeof(Function) <= PLACE_BYTES);
static const char* const WORDS[] = { "nothing", "context", "module", "function", "event" };

static char* places;
static uint64_t used;
static Buffer buffers[BUFFERS_MAX];
static int buffer_count;

void* new_object(Kind kind, Context* owner) {
  if (!places) places = (char*)tf::os_pages(PLACE_BYTES * PLACES);
  if (!places || used == PLACES) abort();
  Object* object = (Object*)(places + PLACE_BYTES * used++);
  object->kind = kind;
  object->live = true;
  object->owner = owner;
  return object;
}

Object* object_of(const void* handle, Kind kind) {
  uint64_t offset = (uint64_t)handle - (uint64_t)places;
  bool known = offset < PLACE_BYTES * used && offset % PLACE_BYTES == 0;
  Object* object = known ? (Object*)handle : nullptr;
  if (!object || object->kind != kind) violation("%p is no %s", handle, WORDS[kind]);
  else if (!object->live) violation("this %s is destroyed", WORDS[kind]);
  else return object;
  return nullptr;
}

int live_contexts() {
  int count = 0;
  for (uint64_t i = 0; i < used; i++) {
    Object* object = (Object*)(places + PLACE_BYTES * i);
    count += object->kind == CONTEXT && object->live && !((Context*)object)->hung; // what hangs may never be destroyed
  }
  return count;
}

int sweep(Context* owner, char* text, size_t capacity) {
  int counts[5] = {}, total = 0;
  uint64_t bytes = 0;
  for (int i = buffer_count; i-- > 0;) {
    if (buffers[i].owner != owner) continue;
    bytes += buffers[i].bytes;
    counts[NONE]++;
    drop_buffer(&buffers[i]);
  }
  for (uint64_t i = 0; i < used; i++) {
    Object* object = (Object*)(places + PLACE_BYTES * i);
    if (object->owner != owner || !object->live) continue;
    object->live = false;
    counts[object->kind]++;
  }
  total = counts[NONE] + counts[MODULE] + counts[EVENT]; // functions end with their modules
  snprintf(text, capacity, "%d buffers of %llu bytes, %d modules, %d events", counts[NONE], (unsigned long long)bytes,
    counts[MODULE], counts[EVENT]);
  return total;
}

Buffer* add_buffer(Context* owner, uint64_t address, uint64_t bytes) {
  if (buffer_count == BUFFERS_MAX) return nullptr;
  buffers[buffer_count] = { address, bytes, owner };
  return &buffers[buffer_count++];
}

void drop_buffer(Buffer* buffer) { *buffer = buffers[--buffer_count]; }

Buffer* buffer_holding(uint64_t address, uint64_t bytes) {
  for (int i = 0; i < buffer_count; i++) {
    uint64_t offset = address - buffers[i].address;
    if (offset <= buffers[i].bytes && bytes <= buffers[i].bytes - offset && (offset < buffers[i].bytes || !bytes))
      return &buffers[i];
  }
  return nullptr;
}

} // namespace emulator
