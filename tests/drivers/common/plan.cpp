// TF_EMULATE: failures by plan, as `no-device,oom@3,fault@2`.
#include "emulator.h"
#include <stdio.h>
#include <stdlib.h>

namespace emulator {

static char plan[1024];

bool plan_read() {
  const char* text = getenv("TF_EMULATE");
  bool same = strcmp(plan, text ? text : "") == 0;
  snprintf(plan, sizeof plan, "%s", text ? text : "");
  return !same;
}

static bool has(const char* word, uint64_t n) {
  size_t length = strlen(word);
  for (const char* at = plan; *at;) {
    size_t end = strcspn(at, ",");
    bool same = end >= length && strncmp(at, word, length) == 0;
    if (same && end == length) return true;
    if (same && at[length] == '@' && strtoull(at + length + 1, NULL, 10) == n) return true;
    at += end + (at[end] == ',');
  }
  return false;
}

bool planned(const char* word, uint64_t n) {
  char told[64];
  if (!has(word, n)) return false;
  if (!has("once", 0)) return true;
  snprintf(told, sizeof told, "planned: %s@%llu\n", word, (unsigned long long)n);
  if (told_by_other(told)) return false;
  note("planned", "%s@%llu", word, (unsigned long long)n);
  return true;
}

const Chip* find_chip(const Chip* chips, int count) {
  const char* name = getenv("TF_EMULATE_CHIP");
  for (int i = 0; name && *name && i < count; i++)
    if (strcmp(chips[i].name, name) == 0) return &chips[i];
  if (name && *name) violation("TF_EMULATE_CHIP: no chip %s is emulated here", name);
  return &chips[0];
}

} // namespace emulator
