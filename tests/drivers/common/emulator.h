// An emulated GPU driver less its names and numbers: contexts, buffers, modules, functions and events over the host device's
// runtime, checked strictly. What a caller of a real driver must not do is a violation; it goes to the report.
#pragma once
#include "ffi/host/runtime/device.h"
#include <stddef.h>
#include <stdint.h>

namespace emulator {

// What calls answer; a driver gives each its own number.
enum Code {
  OK,
  BAD_VALUE,
  BAD_HANDLE,
  NOT_FOUND,
  NOT_READY,
  NOT_INITIALISED,
  NO_DEVICE,
  BAD_DEVICE,
  NO_CONTEXT,
  NO_MEMORY,
  BAD_IMAGE,
  NO_RESOURCES, // of a launch
  TOO_LARGE,    // a cooperative launch
  BAD_CLUSTER,
  NOT_SUPPORTED,
  ILLEGAL_ADDRESS,
  MISALIGNED,
  ILLEGAL_INSTRUCTION,
  GONE, // a device that was there
  UNKNOWN
};

// Limits of a chip, as its driver reports them.
struct Chip {
  const char* name; // sm_90
  const char* product;
  int major, minor;
  int warp, local_bytes, local_bytes_optin, multiprocessors, registers;
  int cluster; // groups, by opt-in; 0: none
  uint64_t memory_bytes;
};

// The chip that TF_EMULATE_CHIP names among `chips` (`count`), else the first.
const Chip* find_chip(const Chip* chips, int count);

// --- the report (report.cpp) ---

// `api` names the function of the driver that runs in this thread.
void set_api(const char* name);
// Each appends a line to TF_EMULATE_REPORT, else to standard error.
__attribute__((format(printf, 1, 2))) void violation(const char* format, ...);
__attribute__((format(printf, 2, 3))) void note(const char* word, const char* format, ...);
// Whether another process that reports to the same file has a line there whose word and text begin so.
bool told_by_other(const char* text);
struct Lock { // of the whole driver, while a function of it runs
  explicit Lock(const char* api);
  ~Lock();
};

// --- planned failures (plan.cpp) ---

// Reads TF_EMULATE; whether it is another than before.
bool plan_read();
// Whether TF_EMULATE has `word` alone, or `word@n` for this n. With `once` in it, not where it came to be in another process.
bool planned(const char* word, uint64_t n);

// --- objects (objects.cpp) ---

struct Context;
enum Kind : uint32_t { NONE, CONTEXT, MODULE, FUNCTION, EVENT };

// Never freed, and its place is never taken again: a handle stays what it was.
struct Object {
  Kind kind;
  bool live;
  Context* owner;
};

struct Context : Object {
  int device;
  uint64_t host;   // the host device behind it
  Code dead;       // what every call answers; OK while it lives
  bool told;       // the caller has had that answer
  bool hung;       // a launch that never ends is queued
  bool waiting;    // a launch is queued
  uint64_t launch; // its number
  struct Function* running;
  uint64_t arguments[TF_ARGUMENTS_MAX]; // of buffers; 0: none
};

struct Module : Object {
  uint64_t host;
};

struct Function : Object {
  Module* module;
  const tf::Kernel* kernel;
  char symbol[128];
  int dynamic_bytes; // a launch may ask for
  bool wide_cluster;
};

struct Event : Object {
  bool recorded, polled;
};

struct Buffer {
  uint64_t address, bytes;
  Context* owner;
};

void* new_object(Kind kind, Context* owner);
// The object of a handle; a violation and null where it is none, or is destroyed.
Object* object_of(const void* handle, Kind kind);
// Destroys what is left of a context; returns how many objects that were, with `text` on them.
int sweep(Context* owner, char* text, size_t capacity);
int live_contexts();
Buffer* add_buffer(Context* owner, uint64_t address, uint64_t bytes);
void drop_buffer(Buffer* buffer);
// The live buffer that holds these bytes; null where there is none.
Buffer* buffer_holding(uint64_t address, uint64_t bytes);

// --- the driver (driver.cpp, launch.cpp) ---

struct Shape {
  unsigned grid[3], group[3], dynamic_bytes, cluster;
  bool cooperative;
};

Code initialise(const Chip* chip);
const Chip* chip();
int device_count();
// Before every other function: whether the driver can answer at all, and for one that needs it the thread's context.
Code begin(bool needs_context, Context** context);
Code create_context(int device, Context** context);
Code destroy_context(Context* context);
Context* current_context();
Code set_current(Context* context);
Code allocate(Context* context, uint64_t bytes, uint64_t* address);
Code release(Context* context, uint64_t address);
Code write(Context* context, uint64_t address, const void* from, uint64_t bytes);
Code read(Context* context, void* to, uint64_t address, uint64_t bytes);
Code fill(Context* context, uint64_t address, uint32_t word, unsigned width, uint64_t count);
// log: what a refusal says.
Code load(Context* context, const void* image, Module** module, char* log, size_t capacity);
Code unload(Context* context, Module* module);
Code find_function(Context* context, Module* module, const char* symbol, Function** function);
// A parameter's bytes; BAD_VALUE past the last one.
Code parameter(const Function* function, size_t index, size_t* bytes);
int max_threads(const Function* function);
Code launch(Context* context, Function* function, const Shape& shape, void** values);
// Runs what is queued; the status of the context after it.
Code run_queue(Context* context);
Code record(Context* context, Event* event);
// NOT_READY at the first look after a record, and for ever while a launch hangs.
Code query(Context* context, Event* event);
// Whether destroying a context never comes back; asked outside the lock.
bool is_stuck();

// The host device's own functions.
struct Host {
  int32_t (*open)(uint32_t, uint64_t*);
  int32_t (*close)(uint64_t);
  int32_t (*alloc)(uint64_t, uint64_t, uint64_t*);
  int32_t (*free)(uint64_t, uint64_t);
  int32_t (*load)(uint64_t, const void*, uint64_t, uint64_t*);
  int32_t (*unload)(uint64_t, uint64_t);
  int32_t (*kernel)(uint64_t, uint64_t, const char*, uint64_t*, char*, uint64_t);
  int32_t (*launch)(uint64_t, const TfLaunch*);
  int32_t (*wait)(uint64_t, uint64_t);
  int32_t (*error)(uint64_t, char*, uint64_t);
};
extern Host host;

} // namespace emulator
