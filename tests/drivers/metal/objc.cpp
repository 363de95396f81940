#include "objc.h"
#include <stdio.h>
#include <stdlib.h>

using emulator::Lock;
using emulator::violation;

namespace objc {

constexpr uint64_t PLACE_BYTES = 4096, PLACES = 1 << 16, GONE_KEPT = 4096;

int queues;
static char* places;
static uint64_t used;
static uint32_t gone[PLACES]; // places of things that are gone, first in, first out
static uint64_t gone_in, gone_out;
static __thread struct { Thing* owed[4096]; int count, marks[64], depth; } pools;

// A new place while few things are gone, else that of the one which is so for longest.
static Thing* take_place(size_t bytes) {
  if (!places) places = (char*)tf::os_pages(PLACE_BYTES * PLACES);
  bool reuse = gone_in - gone_out > GONE_KEPT;
  if (!places || bytes > PLACE_BYTES || (!reuse && used == PLACES)) abort();
  return (Thing*)(places + PLACE_BYTES * (reuse ? gone[gone_out++ % PLACES] : used++));
}

void* make(size_t bytes, const Class* is) {
  Thing* t = take_place(bytes);
  memset((void*)t, 0, bytes);
  t->is = is;
  t->count = 1;
  return t;
}

Id retain(void* thing) {
  ((Thing*)thing)->count++;
  return (Id)thing;
}

void release(void* thing) {
  Thing* t = (Thing*)thing;
  if (t->count <= t->owed) violation("a %s is released more often than it is retained", t->is->name);
  if (--t->count > 0) return;
  if (t->is->last) t->is->last(t);
  gone[gone_in++ % PLACES] = (uint32_t)(((char*)t - places) / PLACE_BYTES);
}

Id autorelease(void* thing) {
  if (!pools.depth) violation("a %s is autoreleased with no pool in place", ((Thing*)thing)->is->name);
  else if (pools.count == 4096) abort();
  else ((Thing*)thing)->owed++, pools.owed[pools.count++] = (Thing*)thing;
  return (Id)thing;
}

void describe_left(char* text, size_t capacity) {
  text[0] = 0;
  for (uint64_t i = 0; i < used; i++) {
    Thing* t = (Thing*)(places + PLACE_BYTES * i);
    if (t->count <= 0 || t->owed < 0) continue;
    snprintf(text + strlen(text), capacity - strlen(text), " %s", t->is->name);
    t->owed = -1; // told
  }
}

static Id text_init(Text* t, Sel s, const void* bytes, Count count, Count encoding) {
  Lock lock((const char*)s);
  
  if (encoding != UTF8_ENCODING) violation("encoding %lu", encoding);
  if (count && ((const unsigned char*)bytes)[0] >= 0xf8) return release(t), nullptr; // no UTF-8 begins so
  if (count < sizeof t->bytes) memcpy(t->bytes, bytes, count), t->bytes[count] = 0;
  else memcpy(t->bytes, bytes, sizeof t->bytes - 1); // sources: their beginning is all that is looked at
  return (Id)t;
}
static const char* text_utf8(Text* t, Sel s) {
  Lock lock((const char*)s);
  return t->bytes; }
static Count array_count(Array* a, Sel s) {
  Lock lock((const char*)s);
  return a->count_of; }
static Id array_at(Array* a, Sel s, Count i) {
  Lock lock((const char*)s);
  
  if (i >= a->count_of) return violation("objectAtIndex: %lu of %lu", i, a->count_of), nullptr;
  return (Id)a->items[i];
}
static void array_last(Thing* t) {
  for (Count i = 0; i < ((Array*)t)->count_of; i++) release(((Array*)t)->items[i]);
}
static long error_code(Error* e, Sel s) {
  Lock lock((const char*)s);
  return e->code; }
static Id error_text(Error* e, Sel s) {
  Lock lock((const char*)s);
  return autorelease(text_of(e->text)); }
static void data_last(Thing* t) { free(((Data*)t)->bytes); }
static Id new_text(Thing*, Sel s) {
  Lock lock((const char*)s);
  return (Id)make(sizeof(Text), &TEXT); }
static Id process(Thing* t, Sel) { return (Id)t; }
static Id version(Thing*, Sel s) {
  Lock lock((const char*)s);
  return autorelease(text_of("Version 15.1 (Build 24B83)")); }

METHODS(TEXT, METHOD("initWithBytes:length:encoding:", text_init), METHOD("UTF8String", text_utf8), METHOD("alloc", new_text));
METHODS(ARRAY, METHOD("count", array_count), METHOD("objectAtIndex:", array_at));
METHODS(ERROR, METHOD("code", error_code), METHOD("localizedDescription", error_text));
METHODS(PROCESS, METHOD("processInfo", process), METHOD("operatingSystemVersionString", version));
const Class TEXT = { "NSString", TEXT_METHODS, TEXT_COUNT, nullptr };
const Class ARRAY = { "NSArray", ARRAY_METHODS, ARRAY_COUNT, array_last };
const Class ERROR = { "NSError", ERROR_METHODS, ERROR_COUNT, nullptr };
const Class PROCESS = { "NSProcessInfo", PROCESS_METHODS, PROCESS_COUNT, nullptr };
const Class DATA = { "dispatch_data", nullptr, 0, data_last };

Text* text_of(const char* bytes) {
  Text* t = (Text*)make(sizeof(Text), &TEXT);
  snprintf(t->bytes, sizeof t->bytes, "%s", bytes);
  return t;
}

Array* array_of() { return (Array*)make(sizeof(Array), &ARRAY); }

void add(Array* array, Thing* item) {
  if (array->count_of == 64) abort();
  retain(item);
  array->items[array->count_of++] = item;
}

Error* error_of(long code, const char* text) {
  Error* e = (Error*)make(sizeof(Error), &ERROR);
  e->code = code;
  snprintf(e->text, sizeof e->text, "%s", text);
  return e;
}

// --- messages ---

static Id answer_retain(Thing* t, Sel s) {
  Lock lock((const char*)s);
  return retain(t); }
static const Method* own_method(const Thing* t, const char* selector) {
  for (int i = 0; i < t->is->method_count; i++)
    if (!strcmp(t->is->methods[i].selector, selector)) return &t->is->methods[i];
  return nullptr;
}
static bool answer_responds(Thing* t, Sel, Sel selector) { return own_method(t, (const char*)selector); }
static void answer_release(Thing* t, Sel s) {
  Lock lock((const char*)s);
  release(t); }
static Id nothing(Thing*, Sel) { return nullptr; }

static Thing* known(void* self) {
  uint64_t offset = (uint64_t)self - (uint64_t)places;
  return offset < PLACE_BYTES * used && offset % PLACE_BYTES == 0 ? (Thing*)self : nullptr;
}

// The function behind a message; one that does nothing, and a violation, where the object or the selector is wrong.
static void* method_of(void* self, const char* selector) {
  Lock lock(selector);
  Thing* t = known(self);
  if (!t) return violation("%p is no object", self), (void*)nothing;
  if (t->count <= 0) return violation("the %s is gone", t->is->name), (void*)nothing;
  if (!strcmp(selector, "retain")) return (void*)answer_retain;
  if (!strcmp(selector, "release")) return (void*)answer_release;
  if (!strcmp(selector, "respondsToSelector:")) return (void*)answer_responds;
  if (const Method* m = own_method(t, selector)) return m->function;
  return violation("%s does not know it", t->is->name), (void*)nothing;
}

} // namespace objc

#define API extern "C" __attribute__((visibility("default")))

extern "C" void* tf_objc_method(void* self, const char* selector) { return objc::method_of(self, selector); }

// A message goes on to its function with every argument where it lies; one to nil is 0.
#if defined(__x86_64__)
#define SENDS(name, self, selector)                                                                                     \
  asm(".globl " name "\n.type " name ",@function\n" name ":\n"                                                        \
      "  test " self ", " self "\n  je 1f\n"                                                                          \
      "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  sub $8, %rsp\n"                  \
      "  mov " selector ", %rax\n  mov " self ", %rdi\n  mov %rax, %rsi\n  call tf_objc_method\n"                     \
      "  add $8, %rsp\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n  jmp *%rax\n"           \
      "1: xor %eax, %eax\n  ret\n")
SENDS("objc_msgSend", "%rdi", "%rsi");
SENDS("objc_msgSend_stret", "%rsi", "%rdx");
#else
asm(".globl objc_msgSend\n.type objc_msgSend,%function\nobjc_msgSend:\n"
    "  cbz x0, 1f\n"
    "  stp x0, x1, [sp, #-96]!\n  stp x2, x3, [sp, #16]\n  stp x4, x5, [sp, #32]\n  stp x6, x7, [sp, #48]\n"
    "  stp x8, x30, [sp, #64]\n  bl tf_objc_method\n  mov x16, x0\n  ldp x8, x30, [sp, #64]\n"
    "  ldp x6, x7, [sp, #48]\n  ldp x4, x5, [sp, #32]\n  ldp x2, x3, [sp, #16]\n  ldp x0, x1, [sp], #96\n  br x16\n"
    "1: ret\n");
#endif

API Sel sel_registerName(const char* name) {
  static char* names[256];
  Lock lock("sel_registerName");
  for (char*& known : names) {
    if (!known) known = strdup(name);
    if (!strcmp(known, name)) return (Sel)known;
  }
  abort();
}

// Classes are objects that are never released.
API Id objc_getClass(const char* name) {
  static objc::Thing* classes[2];
  Lock lock("objc_getClass");
  const objc::Class* const KNOWN[] = { &objc::TEXT, &objc::PROCESS };
  for (int i = 0; i < 2; i++) {
    if (strcmp(KNOWN[i]->name, name)) continue;
    if (!classes[i]) classes[i] = (objc::Thing*)objc::make(sizeof(objc::Text), KNOWN[i]), classes[i]->owed = -1;
    return (Id)classes[i];
  }
  return violation("there is no class %s", name), nullptr;
}

API void* objc_autoreleasePoolPush() {
  using objc::pools;
  if (pools.depth == 64) abort();
  pools.marks[pools.depth++] = pools.count;
  return (void*)(uint64_t)pools.depth;
}

API void objc_autoreleasePoolPop(void* pool) {
  using objc::pools;
  Lock lock("objc_autoreleasePoolPop");
  if ((uint64_t)pool != (uint64_t)pools.depth) return violation("the pool is not the innermost one");
  int mark = pools.marks[--pools.depth];
  while (pools.count > mark) {
    objc::Thing* t = pools.owed[--pools.count];
    t->owed--;
    objc::release(t);
  }
  char left[512];
  if (pools.depth || objc::queues) return;
  objc::describe_left(left, sizeof left);
  if (*left) emulator::note("leak", "%s", left);
}

API Id dispatch_data_create(const void* bytes, size_t size, void* queue, void* destructor) {
  Lock lock("dispatch_data_create");
  if (queue || destructor) violation("the bytes must be copied");
  objc::Data* d = (objc::Data*)objc::make(sizeof(objc::Data), &objc::DATA);
  d->bytes = (unsigned char*)malloc(size ? size : 1);
  d->size = size;
  memcpy(d->bytes, bytes, size);
  return (Id)d;
}
