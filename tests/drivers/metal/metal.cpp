// An emulated Metal.framework: the messages that ffi/metal.c sends, over the emulator. A host image behind `MTLB` stands for a metallib;
// source is what TF_EMULATE_METAL_IMAGE names a host image of, unless it says #error.
#include "metal.h"
#include <stdio.h>
#include <stdlib.h>

using emulator::chip;
using emulator::note;
using emulator::violation;

namespace objc {

constexpr uint64_t GIB = 1ull << 30;
constexpr int KIB = 1024;
// name, product, nothing, simd, threadgroup memory twice, cores, nothing, memory
static const emulator::Chip CHIPS[] = {
  { "M1", "Apple M1 Pro", 0, 0, 32, 32 * KIB, 32 * KIB, 16, 0, 0, 16 * GIB },
  { "M2", "Apple M2", 0, 0, 32, 32 * KIB, 32 * KIB, 10, 0, 0, 16 * GIB },
  { "M3", "Apple M3 Max", 0, 0, 32, 32 * KIB, 32 * KIB, 40, 0, 0, 64 * GIB },
  { "M4", "Apple M4", 0, 0, 32, 32 * KIB, 32 * KIB, 10, 0, 0, 16 * GIB },
  { "M5", "Apple M5", 0, 0, 32, 32 * KIB, 32 * KIB, 10, 0, 0, 16 * GIB },
  { "other", "AMD Radeon \"Pro\" 560", 0, 0, 32, 32 * KIB, 32 * KIB, 16, 0, 0, 4 * GIB },
};

static Id fail_with(Id* error, const char* text) {
  if (error) *error = autorelease(error_of(3, text));
  return nullptr;
}

// --- the device ---

static Id gpu_name(Gpu*, Sel s) {
  TOLD;
  return autorelease(text_of(chip()->product));
}
static Count gpu_local(Gpu*, Sel) { return (Count)chip()->local_bytes; }
static uint64_t gpu_memory(Gpu*, Sel) { return chip()->memory_bytes; }
static MtlSize gpu_group(Gpu*, Sel) { return { 1024, 1024, 1024 }; }

static Id gpu_queue(Gpu* gpu, Sel s) {
  TOLD;
  if (emulator::planned("no-queue", 0) || create_context(gpu->index, &gpu->context)) return nullptr;
  Queue* q = (Queue*)make(sizeof(Queue), &QUEUE);
  q->gpu = (Gpu*)retain(gpu);
  queues++;
  return (Id)q;
}
static void queue_last(Thing* t) {
  Gpu* gpu = ((Queue*)t)->gpu;
  destroy_context(gpu->context);
  queues--;
  gpu->context = nullptr;
  release(gpu);
}
static Id queue_commands(Queue* q, Sel s) {
  TOLD;
  return autorelease(commands_of(q->gpu));
}

static Id gpu_buffer(Gpu* gpu, Sel s, Count bytes, Count options) {
  TOLD;
  uint64_t start = 0;
  if (options != STORAGE_SHARED) violation("options 0x%lx: the host would not see its bytes", options);
  if (!bytes) return violation("a buffer of nothing"), nullptr;
  if (allocate(gpu->context, bytes, &start)) return nullptr;
  Memory* m = (Memory*)make(sizeof(Memory), &MEMORY);
  m->gpu = (Gpu*)retain(gpu);
  m->start = start;
  m->bytes = bytes;
  return (Id)m;
}
static void memory_last(Thing* t) {
  Memory* m = (Memory*)t;
  emulator::Context* c = m->gpu->context;
  if (c && !c->dead && !c->hung) emulator::release(c, m->start);
  release(m->gpu);
}
static void* memory_contents(Memory* m, Sel) { return (void*)m->start; }

// --- libraries and pipelines ---

static Id make_library(Gpu* gpu, const void* image, Id* error) {
  char log[1024] = "";
  emulator::Module* module = nullptr;
  if (load(gpu->context, image, &module, log, sizeof log)) return fail_with(error, log);
  Library* l = (Library*)make(sizeof(Library), &LIBRARY);
  l->gpu = (Gpu*)retain(gpu);
  l->module = module;
  return (Id)l;
}
static Id gpu_library(Gpu* gpu, Sel s, Data* data, Id* error) {
  TOLD;
  bool whole = data->size > 4 + 64 && !memcmp(data->bytes, "MTLB", 4);
  return whole ? make_library(gpu, data->bytes + 4, error) : fail_with(error, "Invalid library file");
}
static Id gpu_compile(Gpu* gpu, Sel s, Text* source, Id options, Id* error) {
  TOLD;
  static unsigned char image[1 << 22];
  const char* path = getenv("TF_EMULATE_METAL_IMAGE");
  FILE* file = path && !options && !strstr(source->bytes, "#error") ? fopen(path, "rb") : nullptr;
  if (!file) return fail_with(error, "program_source:1:2: error: as it says");
  size_t read = fread(image, 1, sizeof image, file);
  fclose(file);
  return read > 64 ? make_library(gpu, image, error) : fail_with(error, "no image");
}
static void library_last(Thing* t) {
  Library* l = (Library*)t;
  emulator::Context* c = l->gpu->context;
  if (c && !c->dead && !c->hung) unload(c, l->module);
  release(l->gpu);
}
static Id library_names(Library* l, Sel s) {
  TOLD;
  Array* names = array_of();
  const tf::Module* m = (const tf::Module*)l->module->host;
  for (uint32_t i = 0; i < m->kernel_count; i++) {
    Text* name = text_of(m->kernels[i].entry->name);
    add(names, name);
    release(name);
  }
  return autorelease(names);
}
static Id library_function(Library* l, Sel s, Text* name) {
  TOLD;
  emulator::Function* found = nullptr;
  if (find_function(l->gpu->context, l->module, name->bytes, &found)) return nullptr;
  Function* f = (Function*)make(sizeof(Function), &FUNCTION);
  f->library = (Library*)retain(l);
  f->function = found;
  return (Id)f;
}
static void function_last(Thing* t) { release(((Function*)t)->library); }

static Id gpu_pipeline(Gpu*, Sel s, Function* f, Count options, Id* reflection, Id* error) {
  TOLD;
  if (emulator::planned("reject-pipeline", 0)) return fail_with(error, "Compiler encountered an internal error");
  Pipeline* p = (Pipeline*)make(sizeof(Pipeline), &PIPELINE);
  p->function = (Function*)retain(f);
  if (options & ARGUMENT_INFO && reflection) {
    Reflection* r = (Reflection*)make(sizeof(Reflection), emulator::planned("untold", 0) ? &BARE_REFLECTION : &REFLECTION);
    r->pipeline = (Pipeline*)retain(p);
    *reflection = autorelease(r);
  }
  return (Id)p;
}
static void pipeline_last(Thing* t) { release(((Pipeline*)t)->function); }
static void reflection_last(Thing* t) { release(((Reflection*)t)->pipeline); }
static Id reflection_arguments(Reflection* r, Sel s) {
  TOLD;
  Array* list = array_of();
  Count places[2] = {};
  for (uint32_t i = 0; i < entry_of(r->pipeline)->parameter_count; i++) {
    Argument* a = (Argument*)make(sizeof(Argument), &ARGUMENT);
    a->type = entry_of(r->pipeline)->parameters[i].kind == TF_PARAMETER_LOCAL ? ARGUMENT_LOCAL : ARGUMENT_BUFFER;
    a->index = places[a->type]++;
    add(list, a);
    release(a);
  }
  return autorelease(list);
}
static Count argument_type(Argument* a, Sel) { return a->type; }
static Count argument_index(Argument* a, Sel) { return a->index; }
static bool argument_active(Argument*, Sel) { return true; }
static Count pipeline_threads(Pipeline* p, Sel) { return (Count)max_threads(p->function->function); }
static Count pipeline_width(Pipeline*, Sel) { return (Count)chip()->warp; }
static Count pipeline_local(Pipeline* p, Sel) { return p->function->function->kernel->static_local_bytes; }

METHODS(GPU, METHOD("name", gpu_name), METHOD("maxThreadgroupMemoryLength", gpu_local),
  METHOD("recommendedMaxWorkingSetSize", gpu_memory), METHOD("maxThreadsPerThreadgroup", gpu_group),
  METHOD("newCommandQueue", gpu_queue), METHOD("newBufferWithLength:options:", gpu_buffer),
  METHOD("newLibraryWithData:error:", gpu_library), METHOD("newLibraryWithSource:options:error:", gpu_compile),
  METHOD("newComputePipelineStateWithFunction:options:reflection:error:", gpu_pipeline));
METHODS(QUEUE, METHOD("commandBuffer", queue_commands));
METHODS(MEMORY, METHOD("contents", memory_contents));
METHODS(LIBRARY, METHOD("functionNames", library_names), METHOD("newFunctionWithName:", library_function));
METHODS(PIPELINE, METHOD("maxTotalThreadsPerThreadgroup", pipeline_threads), METHOD("threadExecutionWidth", pipeline_width),
  METHOD("staticThreadgroupMemoryLength", pipeline_local));
METHODS(REFLECTION, METHOD("arguments", reflection_arguments));
METHODS(ARGUMENT, METHOD("type", argument_type), METHOD("index", argument_index), METHOD("isActive", argument_active));
const Class GPU = { "MTLDevice", GPU_METHODS, GPU_COUNT, nullptr };
const Class QUEUE = { "MTLCommandQueue", QUEUE_METHODS, QUEUE_COUNT, queue_last };
const Class MEMORY = { "MTLBuffer", MEMORY_METHODS, MEMORY_COUNT, memory_last };
const Class LIBRARY = { "MTLLibrary", LIBRARY_METHODS, LIBRARY_COUNT, library_last };
const Class FUNCTION = { "MTLFunction", nullptr, 0, function_last };
const Class PIPELINE = { "MTLComputePipelineState", PIPELINE_METHODS, PIPELINE_COUNT, pipeline_last };
const Class REFLECTION = { "MTLComputePipelineReflection", REFLECTION_METHODS, REFLECTION_COUNT, reflection_last };
const Class BARE_REFLECTION = { "MTLComputePipelineReflection", nullptr, 0, reflection_last };
const Class ARGUMENT = { "MTLArgument", ARGUMENT_METHODS, ARGUMENT_COUNT, nullptr };

} // namespace objc

extern "C" __attribute__((visibility("default"))) Id MTLCopyAllDevices() {
  emulator::Lock lock("MTLCopyAllDevices");
  emulator::Context* none = nullptr;
  bool here = !initialise(find_chip(objc::CHIPS, sizeof objc::CHIPS / sizeof *objc::CHIPS));
  here = here && emulator::begin(false, &none) != emulator::NO_DEVICE;
  objc::Array* list = objc::array_of();
  for (int i = 0; here && i < emulator::device_count(); i++) {
    objc::Gpu* gpu = (objc::Gpu*)objc::make(sizeof(objc::Gpu), &objc::GPU);
    gpu->index = i;
    objc::add(list, gpu);
    objc::release(gpu);
  }
  return (Id)list;
}
