// An Objective-C runtime of a few classes: objects with counts, autorelease pools, messages by a table. The place of an object that is
// released to nothing is not taken again for long, so that a message to it is known.
#pragma once
#include "../common/emulator.h"
#include "ffi/metal_driver.h"

namespace objc {

struct Method {
  const char* selector;
  void* function;
};

struct Class;

struct Thing {
  const Class* is;
  long count;      // retains; 0: it is gone
  long owed;       // releases that pools still owe it; below 0: it may stay
};

struct Class {
  const char* name;
  const Method* methods;
  int method_count;
  void (*last)(Thing*); // before it goes; may be null
};

// A new thing with one retain.
void* make(size_t bytes, const Class* is);
Id retain(void* thing);
void release(void* thing);
// Leaves a retain to the innermost pool of the thread.
Id autorelease(void* thing);
extern int queues; // that are not gone: what is left without one is left for ever
// What is left with a retain, its kinds in one line; '' for nothing.
void describe_left(char* text, size_t capacity);

struct Text : Thing {
  char bytes[1024];
};
struct Array : Thing {
  Thing* items[64];
  Count count_of;
};
struct Error : Thing {
  long code;
  char text[2048];
};
struct Data : Thing {
  unsigned char* bytes;
  size_t size;
};

Text* text_of(const char* bytes);
Array* array_of();
void add(Array* array, Thing* item); // which the array retains
Error* error_of(long code, const char* text);
extern const Class TEXT, ARRAY, ERROR, DATA, PROCESS;

#define METHODS(name, ...)                    \
  static const Method name##_METHODS[] = { __VA_ARGS__ }; \
  constexpr int name##_COUNT = sizeof name##_METHODS / sizeof *name##_METHODS
#define METHOD(selector, function) { selector, (void*)(function) }

} // namespace objc
