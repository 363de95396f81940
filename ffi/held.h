// What a device holds of a driver that takes nothing back by itself: its buffers, modules and kernels, so that closing it can give
// them back, and an address or a handle that is none of them is told. Included after TF_KERNEL_FIELDS, before gpu.h.
#ifndef TF_HELD_H
#define TF_HELD_H
#include "shim.h"
#include <stdbool.h>
#include <stdlib.h>

#define NO_HOST_MEMORY "no memory of the host"

typedef struct Buffer { struct Buffer* next; void* object; uint64_t start, bytes; } Buffer;
typedef struct Kernel { struct Kernel* next; void* object; TF_KERNEL_FIELDS } Kernel;
typedef struct Module { struct Module* next; void* object; Kernel* kernels; } Module;
typedef struct Held { Buffer* buffers; Module* modules; } Held;

static bool hold_buffer(Held* h, void* object, uint64_t start, uint64_t bytes) {
  Buffer* b = malloc(sizeof *b);
  if (b) *b = (Buffer){ h->buffers, object, start, bytes }, h->buffers = b;
  return b;
}

// The driver's object of the buffer that starts at an address, which is no longer held; NULL where none does.
static void* drop_buffer(Held* h, uint64_t start) {
  for (Buffer **at = &h->buffers, *b; (b = *at); at = &b->next) {
    if (b->start != start) continue;
    void* object = b->object;
    *at = b->next;
    free(b);
    return object;
  }
  return NULL;
}

// The buffer that all of `bytes` bytes lie in.
static const Buffer* buffer_of(const Held* h, uint64_t address, uint64_t bytes) {
  for (const Buffer* b = h->buffers; b; b = b->next)
    if (address - b->start <= b->bytes && bytes <= b->bytes - (address - b->start)) return b;
  return NULL;
}

static Module* hold_module(Held* h, void* object) {
  Module* m = malloc(sizeof *m);
  if (m) *m = (Module){ h->modules, object, NULL }, h->modules = m;
  return m;
}

static Module* module_of(const Held* h, uint64_t handle) {
  Module* m = h->modules;
  while (m && (uint64_t)(uintptr_t)m != handle) m = m->next;
  return m;
}

// The object of a module whose kernels are dropped.
static void* drop_module(Held* h, Module* m) {
  Module** at = &h->modules;
  void* object = m->object;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  free(m);
  return object;
}

static Kernel* hold_kernel(Module* m, void* object) {
  Kernel* k = calloc(1, sizeof *k);
  if (k) k->next = m->kernels, k->object = object, m->kernels = k;
  return k;
}

static Kernel* kernel_of(const Held* h, uint64_t handle) {
  for (Module* m = h->modules; m; m = m->next)
    for (Kernel* k = m->kernels; k; k = k->next)
      if ((uint64_t)(uintptr_t)k == handle) return k;
  return NULL;
}

// The object of a module's first kernel, which is no longer held; NULL where it has none.
static void* drop_kernel(Module* m) {
  Kernel* k = m->kernels;
  if (!k) return NULL;
  void* object = k->object;
  m->kernels = k->next;
  free(k);
  return object;
}

#endif
