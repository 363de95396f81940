// Modules, kernels and launches. A host image stands for a zebin; behind the magic of SPIR-V, for SPIR-V.
#include "../common/state.h"
#include "calls.h"

static char build_log[1024];

ZE zeModuleCreate(ZContext c, ZDevice d, const ZModuleDesc* desc, ZModule* module, ZLog* log) {
  USE(c, Is::context);
  if (!is_typed(desc, Z_MODULE_DESC)) return Z_ERROR_INVALID_ENUMERATION;
  if (desc->pBuildFlags || desc->pConstants || !desc->inputSize || !desc->pInputModule) return Z_ERROR_INVALID_ARGUMENT;
  bool spirv = desc->inputSize > 4 && !memcmp(desc->pInputModule, "\x03\x02\x23\x07", 4);
  if (spirv != (desc->format == Z_FORMAT_SPIRV)) violation("format %u of other bytes", desc->format);
  if (log) *log = make(Is::log, o);
  emulator::Module* loaded = nullptr;
  const uint8_t* image = desc->pInputModule + (spirv ? 4 : 0);
  if (desc->inputSize < 64) return Z_ERROR_INVALID_NATIVE_BINARY;
  if (Code code = load(o->context, image, &loaded, build_log, sizeof build_log)) return result_of(code);
  Handle* m = make(Is::module, o);
  m->module = loaded;
  *module = m;
  return of(d, Is::device);
}

ZE zeModuleDestroy(ZModule module) {
  BEGIN;
  Handle* o = live(module, Is::module);
  if (o && !o->context->dead) unload(o->context, o->module);
  return destroy(module, Is::module);
}

ZE zeModuleBuildLogGetString(ZLog log, size_t* bytes, char* text) {
  BEGIN;
  size_t needed = strlen(build_log) + 1;
  if (!live(log, Is::log)) return Z_ERROR_INVALID_NULL_HANDLE;
  if (text && *bytes < needed) return violation("there is no room for the log"), Z_ERROR_INVALID_SIZE;
  if (text) memcpy(text, build_log, needed);
  *bytes = needed;
  return Z_SUCCESS;
}

ZE zeModuleBuildLogDestroy(ZLog log) {
  BEGIN;
  return destroy(log, Is::log);
}

ZE zeKernelCreate(ZModule module, const ZKernelDesc* desc, ZKernel* kernel) {
  USE(module, Is::module);
  if (!is_typed(desc, Z_KERNEL_DESC)) return Z_ERROR_INVALID_ENUMERATION;
  emulator::Function* found = nullptr;
  if (Code code = find_function(o->context, o->module, desc->pKernelName, &found)) return result_of(code);
  Handle* k = make(Is::kernel, o);
  k->function = found;
  k->bytes = (uint64_t)max_threads(found);
  *kernel = k;
  return Z_SUCCESS;
}

ZE zeKernelDestroy(ZKernel kernel) {
  BEGIN;
  return destroy(kernel, Is::kernel);
}

static uint32_t arguments_of(const Handle* kernel) { return kernel->function->kernel->entry->parameter_count; }

ZE zeKernelGetProperties(ZKernel kernel, ZKernelProperties* p) {
  USE(kernel, Is::kernel);
  if (!is_typed(p, Z_KERNEL_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
  p->numKernelArgs = arguments_of(o);
  p->maxSubgroupSize = (uint32_t)chip()->warp;
  p->maxNumSubgroups = planned("untold", 0) ? 0 : (uint32_t)o->bytes / p->maxSubgroupSize;
  p->localMemSize = o->function->kernel->static_local_bytes;
  p->spillMemSize = 64;
  return Z_SUCCESS;
}

ZE zeKernelSetGroupSize(ZKernel kernel, uint32_t x, uint32_t y, uint32_t z) {
  USE(kernel, Is::kernel);
  if (!x || !y || !z || (uint64_t)x * y * z > o->bytes) return Z_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  o->group[0] = x, o->group[1] = y, o->group[2] = z;
  return Z_SUCCESS;
}

static bool takes(const TfParameter& p, size_t bytes, const void* value) {
  if (p.kind == TF_PARAMETER_LOCAL) return !value && bytes;
  return bytes == (p.kind == TF_PARAMETER_BYTES ? p.bytes : 8) && (value || p.kind != TF_PARAMETER_BYTES);
}

// A null value is local memory, or a null pointer.
ZE zeKernelSetArgumentValue(ZKernel kernel, uint32_t index, size_t bytes, const void* value) {
  USE(kernel, Is::kernel);
  if (index >= arguments_of(o)) return Z_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  const TfParameter& p = o->function->kernel->entry->parameters[index];
  if (!takes(p, bytes, value)) return Z_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
  bool local = p.kind == TF_PARAMETER_LOCAL, scalar = p.kind == TF_PARAMETER_BYTES;
  TfArgument* a = &o->values[index];
  *a = { local ? (uint32_t)TF_LOCAL : scalar ? (uint32_t)TF_BYTES : (uint32_t)TF_BUFFER, (uint32_t)bytes, 0 };
  if (value) memcpy(&a->value, value, bytes);
  if (a->kind == TF_BUFFER && a->value && !buffer_holding(a->value, 0)) violation("argument %u lies in no buffer", index);
  o->set |= 1ull << index;
  return Z_SUCCESS;
}

static int32_t launch_on(ZList list, ZKernel kernel, const ZGroupCount* groups, Handle* signal, bool cooperative) {
  Handle *o, *k = live(kernel, Is::kernel);
  if (int32_t status = use(list, Is::list, &o)) return status;
  if (!k) return Z_ERROR_INVALID_NULL_HANDLE;
  if (k->context != o->context) violation("a kernel of another context");
  if (!k->group[0]) violation("the kernel has no group size");
  if (k->set != (1ull << arguments_of(k)) - 1) violation("arguments of the kernel are not set");
  if (!groups->groupCountX || !groups->groupCountY || !groups->groupCountZ) return Z_ERROR_INVALID_ARGUMENT;
  if (planned("refuse-launch", ++state.launches)) return Z_ERROR_INVALID_ARGUMENT;
  Command* c = append(o, Command::LAUNCH, signal);
  c->number = state.launches;
  c->function = k->function;
  c->launch.kernel = (uint64_t)k->function->kernel;
  c->launch.argument_count = arguments_of(k);
  c->launch.local_poison = 0x7fa7dead;
  c->launch.flags = cooperative ? TF_COOPERATIVE : 0;
  memcpy(c->launch.grid, groups, sizeof c->launch.grid);
  memcpy(c->launch.group, k->group, sizeof k->group);
  memcpy(c->arguments, k->values, sizeof k->values);
  return Z_SUCCESS;
}

ZE zeCommandListAppendLaunchKernel(
    ZList list, ZKernel kernel, const ZGroupCount* groups, ZEvent signal, uint32_t count, ZEvent* events) {
  BEGIN;
  int32_t status = waits_for_none(count, events);
  return status ? status : launch_on(list, kernel, groups, signal_of(signal), false);
}

ZE zeCommandListAppendLaunchCooperativeKernel(
    ZList list, ZKernel kernel, const ZGroupCount* groups, ZEvent signal, uint32_t count, ZEvent* events) {
  BEGIN;
  int32_t status = waits_for_none(count, events);
  return status ? status : launch_on(list, kernel, groups, signal_of(signal), true);
}
