// The JSON that tf_info and tf_kernel write, with the keys of shim.h. What a driver does not tell has no key.
#ifndef TF_JSON_H
#define TF_JSON_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Of a device; 0, and "" as the chip, where the driver does not tell.
typedef struct Info {
  const char *name, *driver, *chip;
  uint64_t max_threads, max_group[3], max_grid[3], warp, registers, local_bytes, local_bytes_optin, multiprocessors, memory_bytes;
} Info;

enum { UNTOLD = -1 };

// Of a kernel; UNTOLD where the driver does not tell.
typedef struct Attributes {
  int64_t max_threads, static_local_bytes, arguments, registers, spill_bytes, warp, required_warp, max_dynamic_local_bytes;
} Attributes;

typedef struct Json { char* text; uint64_t capacity, length; } Json;

__attribute__((format(printf, 2, 3))) static void put(Json* j, const char* format, ...) {
  va_list values;
  va_start(values, format);
  uint64_t room = j->capacity - j->length; // 1 at least, for the end
  int bytes = vsnprintf(j->text + j->length, room, format, values);
  va_end(values);
  if (bytes > 0) j->length += (uint64_t)bytes < room ? (uint64_t)bytes : room - 1;
}

static void put_key(Json* j, const char* key) { put(j, "%c\"%s\":", j->length ? ',' : '{', key); }

static bool is_plain(unsigned char byte) { return byte >= 32 && byte != '"' && byte != '\\'; }

static void put_text(Json* j, const char* key, const char* text) {
  enum { MOST = 199 }; // bytes that a reader takes
  put_key(j, key);
  put(j, "\"");
  for (int i = 0; i < MOST && text[i]; i++) put(j, "%c", is_plain((unsigned char)text[i]) ? text[i] : ' ');
  put(j, "\"");
}

static void put_number(Json* j, const char* key, int64_t value, int64_t untold) {
  if (value == untold) return;
  put_key(j, key);
  put(j, "%lld", (long long)value);
}

static void put_sides(Json* j, const char* key, const uint64_t sides[3]) {
  if (!sides[0]) return;
  put_key(j, key);
  put(j, "[%llu,%llu,%llu]", (unsigned long long)sides[0], (unsigned long long)sides[1], (unsigned long long)sides[2]);
}

static int32_t write_info(const Info* info, char* text, uint64_t capacity) {
  Json j = { text, capacity, 0 };
#define TEXT(key) put_text(&j, #key, info->key);
#define NUMBER(key) put_number(&j, #key, (int64_t)info->key, 0);
#define SIDES(key) put_sides(&j, #key, info->key);
  TEXT(name) TEXT(driver)
  if (*info->chip) TEXT(chip)
  NUMBER(max_threads) SIDES(max_group) SIDES(max_grid) NUMBER(warp) NUMBER(registers)
  NUMBER(local_bytes) NUMBER(local_bytes_optin) NUMBER(multiprocessors) NUMBER(memory_bytes)
#undef TEXT
#undef NUMBER
#undef SIDES
  put(&j, "}");
  return TF_OK;
}

static int32_t write_attributes(const Attributes* attributes, char* text, uint64_t capacity) {
  Json j = { text, capacity, 0 };
#define NUMBER(key) put_number(&j, #key, attributes->key, UNTOLD);
  NUMBER(max_threads) NUMBER(static_local_bytes) NUMBER(arguments) NUMBER(registers) NUMBER(spill_bytes) NUMBER(warp)
  NUMBER(required_warp) NUMBER(max_dynamic_local_bytes)
#undef NUMBER
  put(&j, "}");
  return TF_OK;
}

#endif
