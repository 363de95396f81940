// What the shims of GPUs share: a table of open devices, the text behind a status, and a driver opened at run time. Included
// once by each, after it has said what one device holds: TF_DEVICE_FIELDS.
#ifndef TF_GPU_H
#define TF_GPU_H
#include "shim.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TF_DEVICES_MAX = 64, TF_ERROR_BYTES = 4000, TF_ARGUMENTS_MAX = 64 };

typedef struct Device {
  int taken;
  bool lost;  // every call but tf_close and tf_error answers TF_LOST
  char error[TF_ERROR_BYTES];
  TF_DEVICE_FIELDS
} Device;

static Device tf_devices[TF_DEVICES_MAX];
static char tf_closed_error[TF_ERROR_BYTES]; // of tf_open and tf_close, whose device is not in the table

// A handle is a device's place in the table, counted from 1.
static Device* device_at(uint64_t handle) {
  bool known = handle - 1 < TF_DEVICES_MAX && __atomic_load_n(&tf_devices[handle - 1].taken, __ATOMIC_ACQUIRE);
  return known ? &tf_devices[handle - 1] : NULL;
}

static uint64_t handle_of(const Device* d) { return (uint64_t)(d - tf_devices) + 1; }

// A free place, cleared; NULL where all are taken.
static Device* take_device(void) {
  for (int i = 0; i < TF_DEVICES_MAX; i++) {
    if (__atomic_exchange_n(&tf_devices[i].taken, 1, __ATOMIC_ACQ_REL)) continue;
    memset((char*)&tf_devices[i] + sizeof tf_devices[i].taken, 0, sizeof(Device) - sizeof tf_devices[i].taken);
    return &tf_devices[i];
  }
  return NULL;
}

static void leave_device(Device* d) { __atomic_store_n(&d->taken, 0, __ATOMIC_RELEASE); }

// Sets the text behind a status and returns the status. d: NULL for tf_open and tf_close.
__attribute__((format(printf, 3, 4))) static int32_t fail(Device* d, int32_t status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(d ? d->error : tf_closed_error, TF_ERROR_BYTES, format, values);
  va_end(values);
  return status;
}

static void add_text(Device* d, const char* more) {
  size_t at = strlen(d->error);
  if (*more) snprintf(d->error + at, TF_ERROR_BYTES - at, "\n%s", more);
}

// The first status after a device is lost is its cause's; from then on it is this, behind the same text.
static int32_t lost(Device* d) {
  static const char BEFORE[] = "the device is lost; close it and open it again. It was lost by: ";
  if (strncmp(d->error, BEFORE, sizeof BEFORE - 1) == 0) return TF_LOST;
  size_t length = strlen(d->error), room = TF_ERROR_BYTES - sizeof BEFORE;
  if (length > room) length = room;
  memmove(d->error + sizeof BEFORE - 1, d->error, length);
  memcpy(d->error, BEFORE, sizeof BEFORE - 1);
  d->error[sizeof BEFORE - 1 + length] = 0;
  return TF_LOST;
}

// No driver ends one launch of many: what it runs in is lost.
static int32_t hung(Device* d, uint64_t limit_ns) {
  d->lost = true;
  return fail(d, TF_TIMEOUT, "time limit: the launch still ran after %.3f s", (double)limit_ns / 1e9);
}

// What the status of a driver's answer is to a device that is open (d; NULL: none is yet): it was there, so it is not absent.
static int32_t status_for(Device* d, int32_t status) {
  if (!d) return status;
  if (status == TF_ABSENT) status = TF_LOST;
  d->lost |= status == TF_FAULT || status == TF_TIMEOUT || status == TF_LOST;
  return status;
}

static int32_t error_text(uint64_t device, char* text, uint64_t capacity) {
  Device* d = device_at(device);
  snprintf(text, capacity, "%s", d ? d->error : tf_closed_error);
  return d || !device ? TF_OK : TF_BAD_ARGUMENT;
}

// --- drivers ---

typedef struct DriverSymbol {
  const char* name;
  const char* since; // the first release that has it
  void** place;
  bool optional;
} DriverSymbol;

// Opens the library that `variable` names, else the first of `names` (NULL at the end) that there is.
static void* open_driver(const char* variable, const char* const* names) {
  const char* path = getenv(variable);
  if (path && *path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(NULL, TF_ABSENT, "%s: %s", variable, dlerror());
    return library;
  }
  for (const char* const* name = names; *name; name++) {
    void* library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    if (name == names) fail(NULL, TF_ABSENT, "no driver: %s. %s names another path", dlerror(), variable);
  }
  return NULL;
}

static int32_t find_symbols(void* library, const char* driver, const DriverSymbol* symbols, size_t count) {
  for (size_t i = 0; i < count; i++) {
    *symbols[i].place = dlsym(library, symbols[i].name);
    if (*symbols[i].place || symbols[i].optional) continue;
    return fail(NULL, TF_ABSENT, "the driver has no %s; install one of %s %s or later", symbols[i].name, driver, symbols[i].since);
  }
  return TF_OK;
}

// --- launches, fills, time ---

// The addresses of a launch's argument values, in a list of TF_ARGUMENTS_MAX. A driver reads as many as the kernel takes: past the
// launch's own there is a null.
static int32_t take_arguments(Device* d, const TfLaunch* launch, void** values) {
  static uint64_t null;
  if (launch->argument_count > TF_ARGUMENTS_MAX)
    return fail(d, TF_BAD_ARGUMENT, "launch: %u arguments; at most %d can be passed", launch->argument_count, TF_ARGUMENTS_MAX);
  for (uint32_t i = 0; i < launch->argument_count; i++) {
    if (launch->arguments[i].kind == TF_LOCAL)
      return fail(d, TF_BAD_ARGUMENT, "launch: argument %u is local memory, which no kernel of this device takes", i);
    values[i] = (void*)&launch->arguments[i].value;
  }
  for (uint32_t i = launch->argument_count; i < TF_ARGUMENTS_MAX; i++) values[i] = &null;
  return TF_OK;
}

// A repeated word as up to 3 bytes before the first address that is a multiple of 4, words, and up to 3 bytes.
typedef struct Fill {
  uint64_t head, words, tail; // bytes, words, bytes
  uint32_t word;              // as it stands at a multiple of 4
} Fill;

static unsigned char byte_of(uint32_t word, uint64_t i) { return (unsigned char)(word >> 8 * (i & 3)); }

static Fill fill_parts(uint64_t address, uint32_t word, uint64_t bytes) {
  Fill f = { -address & 3, 0, 0, word };
  if (f.head > bytes) f.head = bytes;
  f.words = (bytes - f.head) / 4;
  f.tail = (bytes - f.head) & 3;
  if (f.head) f.word = word >> 8 * f.head | word << (32 - 8 * f.head);
  return f;
}

// A driver's fill of `count` bytes, or of words at a multiple of 4.
typedef int32_t FillCall(Device* d, uint64_t address, uint32_t value, uint64_t count);

static int32_t fill_each(Device* d, FillCall* fill8, uint64_t address, uint32_t word, uint64_t bytes) {
  int32_t status = TF_OK;
  for (uint64_t i = 0; i < bytes && !status; i++) status = fill8(d, address + i, byte_of(word, i), 1);
  return status;
}

static int32_t fill_by(Device* d, FillCall* fill8, FillCall* fill32, uint64_t address, uint32_t word, uint64_t bytes) {
  if (!bytes) return TF_OK;
  if (word == byte_of(word, 0) * 0x01010101u) return fill8(d, address, byte_of(word, 0), bytes);
  Fill f = fill_parts(address, word, bytes);
  int32_t status = fill_each(d, fill8, address, word, f.head);
  if (!status && f.words) status = fill32(d, address + f.head, f.word, f.words);
  return status ? status : fill_each(d, fill8, address + bytes - f.tail, f.word, f.tail);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Between two looks at a running kernel: no pause for the first 0.1 ms, then 0.05 ms. False where the limit (0: none) is past.
static bool may_run_on(uint64_t start, uint64_t limit_ns) {
  struct timespec pause = { 0, 50000 };
  uint64_t ran = now_ns() - start;
  if (limit_ns && ran > limit_ns) return false;
  if (ran > 100000) nanosleep(&pause, NULL);
  return true;
}

#endif
