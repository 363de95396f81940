// A run-time compiler with the functions of NVRTC or hipRTC (PREFIX, IMAGE). Its image is a text of what it was given; a source with
// `#error` in it does not compile.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(a, b, c) a##b##c
#define NAME(a, b, c) JOIN(a, b, c)
#define API(name) __attribute__((visibility("default"))) int NAME(PREFIX, name, )

enum { OK = 0, INVALID_PROGRAM = 4, INVALID_OPTION = 5, COMPILATION = 6 };

typedef struct Program {
  unsigned alive;
  char text[1 << 16], log[512];
} Program;

static int live, compiled;

API(Version)(int* major, int* minor) { return *major = 12, *minor = 9, OK; }
API(Live)(void) { return live; }
API(Compiled)(void) { return compiled; }

__attribute__((visibility("default"))) const char* NAME(PREFIX, GetErrorString, )(int code) {
  return code == INVALID_PROGRAM ? "ERROR_INVALID_PROGRAM" : "ERROR_OTHER";
}

API(CreateProgram)(Program** made, const char* source, const char* name, int count, const char* const* headers,
    const char* const* names) {
  Program* p = calloc(1, sizeof *p);
  if (!*source) return free(p), INVALID_PROGRAM;
  int at = sprintf(p->text, "source %s\n%s\n", name, source);
  for (int i = 0; i < count; i++) at += sprintf(p->text + at, "header %s\n%s\n", names[i], headers[i]);
  p->alive = 1;
  live++;
  return *made = p, OK;
}

API(CompileProgram)(Program* p, int count, const char* const* options) {
  if (!p->alive) return INVALID_PROGRAM;
  compiled++;
  for (int i = 0; i < count; i++) sprintf(p->text + strlen(p->text), "option %s\n", options[i]);
  if (!strstr(p->text, "#error")) return OK;
  snprintf(p->log, sizeof p->log, "fake.cu(1): error: #error directive\n\n1 error detected.\n");
  return COMPILATION;
}

API(GetProgramLogSize)(Program* p, size_t* bytes) { return *bytes = strlen(p->log) + 1, OK; }
API(GetProgramLog)(Program* p, char* log) { return strcpy(log, p->log), OK; }
__attribute__((visibility("default"))) int NAME(NAME(PREFIX, Get, ), IMAGE, Size)(Program* p, size_t* bytes) {
  return *bytes = strlen(p->text), OK;
}
__attribute__((visibility("default"))) int NAME(NAME(PREFIX, Get, ), IMAGE, )(Program* p, char* image) {
  return memcpy(image, p->text, strlen(p->text)), OK;
}

API(DestroyProgram)(Program** p) {
  if (!(*p)->alive) return INVALID_PROGRAM;
  (*p)->alive = 0;
  live--;
  return OK;
}
