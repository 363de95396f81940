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

static int32_t error_text(uint64_t device, char* text, uint64_t capacity) {
  Device* d = device_at(device);
  snprintf(text, capacity, "%s", d ? d->error : tf_closed_error);
  return d || !device ? TF_OK : TF_BAD_ARGUMENT;
}

// A name as it may stand in a JSON string.
static void plain_name(char* name) {
  for (; *name; name++)
    if ((unsigned char)*name < 32 || *name == '"' || *name == '\\') *name = ' ';
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

// --- images, launches, time ---

// Whether `count` pieces of `each` bytes from `at` on end inside `bytes`.
static bool is_inside(uint64_t at, uint64_t count, uint64_t each, uint64_t bytes) {
  return at <= bytes && (!each || count <= (bytes - at) / each);
}

// Whether all that the headers of an ELF file of 64 bits tell of lies inside its bytes: drivers are not told where an image ends.
static bool elf_is_whole(const unsigned char* image, uint64_t bytes) {
  enum { SECTION = 64, SEGMENT = 56, EMPTY_SECTION = 8 };
  const uint32_t VENDOR_SECTION = 0x60000000; // some of these types have no bytes in the file either
  struct {
    unsigned char start[32];
    uint64_t segments, sections;
    uint32_t flags;
    uint16_t own, segment, segment_count, section, section_count, names;
  } head;
  if (bytes < sizeof head || memcmp(image, "\x7f" "ELF\2\1", 6)) return false;
  memcpy(&head, image, sizeof head);
  bool sized = (!head.section_count || head.section == SECTION) && (!head.segment_count || head.segment == SEGMENT);
  if (!sized || !is_inside(head.sections, head.section_count, SECTION, bytes)) return false;
  if (!is_inside(head.segments, head.segment_count, SEGMENT, bytes)) return false;
  for (uint32_t i = 0; i < head.section_count; i++) {
    struct { uint32_t name, type; uint64_t flags, address, at, bytes, rest[3]; } section;
    memcpy(&section, image + head.sections + (uint64_t)i * SECTION, SECTION);
    bool has_bytes = section.type != EMPTY_SECTION && section.type < VENDOR_SECTION;
    if (section.type && !is_inside(section.at, 1, has_bytes ? section.bytes : 0, bytes)) return false;
  }
  for (uint32_t i = 0; i < head.segment_count; i++) {
    struct { uint32_t type, flags; uint64_t at, address, physical, bytes, rest[2]; } segment;
    memcpy(&segment, image + head.segments + (uint64_t)i * SEGMENT, SEGMENT);
    if (segment.type && !is_inside(segment.at, 1, segment.bytes, bytes)) return false;
  }
  return true;
}

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

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Between two looks at a running kernel: none for the first 0.1 ms, then 0.05 ms.
static void pause_since(uint64_t start) {
  struct timespec pause = { 0, 50000 };
  if (now_ns() - start > 100000) nanosleep(&pause, NULL);
}

#endif
