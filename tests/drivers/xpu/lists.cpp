// Command lists, events and memory.
#include "calls.h"

ZE zeCommandListCreateImmediate(ZContext c, ZDevice d, const ZQueueDesc* desc, ZList* list) {
  USE(c, Is::context);
  if (!is_typed(desc, Z_QUEUE_DESC) || desc->index) return Z_ERROR_INVALID_ENUMERATION;
  if (desc->ordinal != 1) violation("engine group %u does not compute", desc->ordinal);
  if (desc->mode != Z_ASYNCHRONOUS) violation("not asynchronous: a kernel that hangs would block the caller");
  *list = make(Is::list, o);
  return of(d, Is::device);
}

ZE zeCommandListDestroy(ZList list) {
  BEGIN;
  Handle* o = live(list, Is::list);
  if (o && o->queued && !o->context->dead) violation("%u commands are not done", o->queued);
  return destroy(list, Is::list);
}

ZE zeEventPoolCreate(ZContext c, const ZPoolDesc* desc, uint32_t count, ZDevice* devices, ZPool* pool) {
  USE(c, Is::context);
  if (!is_typed(desc, Z_EVENT_POOL_DESC) || !desc->count) return Z_ERROR_INVALID_SIZE;
  if (!(desc->flags & Z_POOL_HOST_VISIBLE)) violation("the host does not see the pool's events");
  if (planned("no-events", 0)) return Z_ERROR_OUT_OF_HOST_MEMORY;
  Handle* made = make(Is::pool, o);
  made->bytes = desc->count;
  *pool = made;
  return count == 1 ? of(*devices, Is::device) : Z_ERROR_INVALID_SIZE;
}

ZE zeEventPoolDestroy(ZPool pool) {
  BEGIN;
  return destroy(pool, Is::pool);
}

ZE zeEventCreate(ZPool pool, const ZEventDesc* desc, ZEvent* event) {
  USE(pool, Is::pool);
  if (!is_typed(desc, Z_EVENT_DESC) || desc->index >= o->bytes) return Z_ERROR_INVALID_ARGUMENT;
  if (!(desc->signal & Z_SCOPE_HOST)) violation("the host would not see what is behind the event");
  *event = make(Is::event, o);
  return Z_SUCCESS;
}

ZE zeEventDestroy(ZEvent event) {
  BEGIN;
  return destroy(event, Is::event);
}

ZE zeEventHostReset(ZEvent event) {
  USE(event, Is::event);
  if (o->promised && !o->signalled) violation("a command is still to signal the event");
  o->promised = nullptr;
  o->signalled = false;
  return Z_SUCCESS;
}

// A look at a list that hangs, when the limit is 0, is no call of a lost context.
ZE zeEventHostSynchronize(ZEvent event, uint64_t limit) {
  BEGIN;
  Handle* o = live(event, Is::event);
  if (!o) return Z_ERROR_INVALID_NULL_HANDLE;
  if (o->signalled) return Z_SUCCESS;
  if (!o->promised) return violation("nothing signals the event"), Z_NOT_READY;
  if (o->promised->hangs || !limit) return Z_NOT_READY;
  int32_t status = use(event, Is::event, &o);
  return status ? status : run(o->promised);
}

int32_t waits_for_none(uint32_t count, ZEvent* events) {
  if (!count && !events) return Z_SUCCESS;
  violation("events to wait for");
  return Z_ERROR_INVALID_ARGUMENT;
}

Handle* signal_of(ZEvent event) { return event ? live(event, Is::event) : nullptr; }

ZE zeCommandListAppendBarrier(ZList list, ZEvent signal, uint32_t count, ZEvent* events) {
  USE(list, Is::list);
  if (int32_t status = waits_for_none(count, events)) return status;
  append(o, Command::BARRIER, signal_of(signal));
  return Z_SUCCESS;
}

ZE zeCommandListAppendMemoryCopy(
    ZList list, void* to, const void* from, size_t bytes, ZEvent signal, uint32_t count, ZEvent* events) {
  USE(list, Is::list);
  if (int32_t status = waits_for_none(count, events)) return status;
  if (!to || !from) return Z_ERROR_INVALID_NULL_POINTER;
  if (!memory_at(to) == !memory_at(from)) violation("one side is a buffer and one is not");
  Command* c = append(o, Command::COPY, signal_of(signal));
  c->to = to, c->from = from, c->bytes = bytes;
  return Z_SUCCESS;
}

ZE zeCommandListAppendMemoryFill(ZList list, void* to, const void* pattern, size_t pattern_bytes, size_t bytes, ZEvent signal,
    uint32_t count, ZEvent* events) {
  USE(list, Is::list);
  if (int32_t status = waits_for_none(count, events)) return status;
  if (!to || !pattern) return Z_ERROR_INVALID_NULL_POINTER;
  if (pattern_bytes != 4 || bytes % 4 || (uint64_t)to % 4) violation("not whole words");
  Command* c = append(o, Command::FILL, signal_of(signal));
  c->to = to, c->bytes = bytes;
  memcpy(&c->word, pattern, 4);
  return Z_SUCCESS;
}

ZE zeMemAllocDevice(ZContext c, const ZAllocDesc* desc, size_t bytes, size_t alignment, ZDevice d, void** place) {
  USE(c, Is::context);
  if (!is_typed(desc, Z_DEVICE_ALLOC_DESC)) return Z_ERROR_INVALID_ENUMERATION;
  if (!bytes) return Z_ERROR_UNSUPPORTED_SIZE;
  if (alignment & (alignment - 1)) return Z_ERROR_UNSUPPORTED_ALIGNMENT;
  uint64_t address = 0;
  if (Code code = allocate(o->context, bytes, &address)) return result_of(code);
  Handle* memory = make(Is::memory, o);
  memory->start = address;
  memory->bytes = bytes;
  *place = (void*)address;
  return of(d, Is::device);
}

// Memory of a context that is lost is given back all the same.
ZE zeMemFree(ZContext c, void* place) {
  BEGIN;
  Handle *o = live(c, Is::context), *memory = memory_at(place);
  if (!o || !memory || memory->start != (uint64_t)place) return violation("no buffer starts here"), Z_ERROR_INVALID_ARGUMENT;
  if (memory->parent != o) violation("a buffer of another context");
  if (!o->context->dead) release(o->context, memory->start);
  return destroy(memory, Is::memory);
}
