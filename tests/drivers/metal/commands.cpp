// Command buffers and their encoders. A command buffer runs when its status is asked for the second time.
#include "../common/state.h"
#include "metal.h"
#include <stdlib.h>

using emulator::violation;

namespace objc {

constexpr uint32_t UNSET = 3;

Commands* commands_of(Gpu* gpu) {
  Commands* c = (Commands*)make(sizeof(Commands), &COMMANDS);
  c->gpu = (Gpu*)retain(gpu);
  return c;
}

static void commands_last(Thing* t) {
  Commands* c = (Commands*)t;
  if (c->open) violation("a command buffer goes with an encoder that is not ended");
  for (uint32_t i = 0; i < c->count_of; i++) release(c->launches[i].pipeline);
  free(c->launches);
  if (c->error) release(c->error);
  release(c->gpu);
}

static Id commands_encoder(Commands* c, Sel s) {
  TOLD;
  if (c->committed) return violation("the command buffer is committed"), nullptr;
  if (c->open) return violation("an encoder of the command buffer is not ended"), nullptr;
  Encoder* e = (Encoder*)make(sizeof(Encoder), &ENCODER);
  e->commands = (Commands*)retain(c);
  for (TfArgument& a : e->launch.buffers) a.kind = UNSET;
  for (TfArgument& a : e->launch.locals) a.kind = UNSET;
  c->open = e;
  return autorelease(e);
}

static void encoder_last(Thing* t) {
  Encoder* e = (Encoder*)t;
  if (!e->ended) violation("an encoder goes that is not ended");
  release(e->commands);
}

static bool is_open(const Encoder* e) {
  if (e->ended) violation("the encoder is ended");
  return !e->ended;
}

static void set_pipeline(Encoder* e, Sel s, Pipeline* p) {
  TOLD;
  if (is_open(e)) e->launch.pipeline = p;
}
static void set_buffer(Encoder* e, Sel s, Memory* m, Count offset, Count place) {
  TOLD;
  if (!is_open(e) || place >= 31) return violation("buffer %lu", place);
  if (m && offset >= m->bytes) violation("offset %lu of %llu bytes", offset, (unsigned long long)m->bytes);
  if (m && m->gpu != e->commands->gpu) violation("a buffer of another device");
  e->launch.buffers[place] = { TF_BUFFER, 8, m ? m->start + offset : 0 };
}
static void set_bytes(Encoder* e, Sel s, const void* bytes, Count count, Count place) {
  TOLD;
  if (!is_open(e) || place >= 31 || !count || count > 8) return violation("%lu bytes for buffer %lu", count, place);
  e->launch.buffers[place] = { TF_BYTES, (uint32_t)count, 0 };
  memcpy(&e->launch.buffers[place].value, bytes, count);
}
static void set_local(Encoder* e, Sel s, Count bytes, Count place) {
  TOLD;
  if (!is_open(e) || place >= 8 || bytes % 16) return violation("%lu bytes of threadgroup memory at %lu", bytes, place);
  e->launch.locals[place] = { TF_LOCAL, (uint32_t)bytes, 0 };
}

// Metal itself would run nothing, and say so nowhere.
static void encoder_dispatch(Encoder* e, Sel s, MtlSize grid, MtlSize group) {
  TOLD;
  if (!is_open(e)) return;
  if (!e->launch.pipeline) return violation("there is no pipeline");
  Count threads = group.width * group.height * group.depth;
  if (!threads || threads > (Count)max_threads(e->launch.pipeline->function->function)) violation("%lu threads a group", threads);
  if (!grid.width || !grid.height || !grid.depth) violation("a grid of nothing");
  e->launch.grid = grid;
  e->launch.group = group;
  e->launch.dispatched = true;
}

static void end_encoding(Encoder* e, Sel s) {
  TOLD;
  if (!is_open(e)) return;
  Commands* c = e->commands;
  e->ended = true;
  c->open = nullptr;
  if (!e->launch.dispatched) return;
  c->launches = (Launch*)realloc((void*)c->launches, (c->count_of + 1) * sizeof(Launch));
  if (!c->launches) abort();
  c->launches[c->count_of++] = e->launch;
  retain(e->launch.pipeline);
}

static void commit(Commands* c, Sel s) {
  TOLD;
  if (c->open) violation("an encoder of the command buffer is not ended");
  if (c->committed) violation("the command buffer is committed twice");
  c->committed = true;
  c->status = 2;
  retain(c); // until it has run
}

// --- running ---

static emulator::Code run_launch(emulator::Context* context, const Launch& from) {
  const TfKernel* entry = entry_of(from.pipeline);
  TfArgument arguments[TF_ARGUMENTS_MAX];
  TfLaunch l = {};
  Count places[2] = {};
  l.kernel = (uint64_t)from.pipeline->function->function->kernel;
  l.arguments = arguments;
  l.argument_count = entry->parameter_count;
  l.local_poison = 0x7fa7dead;
  const Count sides[] = { from.grid.width, from.grid.height, from.grid.depth, from.group.width, from.group.height, from.group.depth };
  for (int i = 0; i < 3; i++) l.grid[i] = (uint32_t)sides[i], l.group[i] = (uint32_t)sides[i + 3];
  for (uint32_t i = 0; i < entry->parameter_count; i++) {
    bool local = entry->parameters[i].kind == TF_PARAMETER_LOCAL;
    arguments[i] = local ? from.locals[places[1]++] : from.buffers[places[0]++];
    if (arguments[i].kind == UNSET) return violation("argument %u is not set", i), emulator::ILLEGAL_ADDRESS;
    context->arguments[i] = arguments[i].kind == TF_BUFFER ? arguments[i].value : 0;
  }
  context->launch = ++emulator::state.launches;
  context->running = from.pipeline->function->function;
  if (emulator::host.launch(context->host, &l)) {
    char text[1024];
    emulator::host.error(context->host, text, sizeof text);
    return violation("%s", text), emulator::ILLEGAL_ADDRESS;
  }
  context->waiting = true;
  return run_queue(context);
}

static Error* error_for(emulator::Code code) {
  if (code == emulator::NO_MEMORY) return error_of(ERROR_OUT_OF_MEMORY, "Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)");
  if (code == emulator::GONE || code == emulator::UNKNOWN || code == emulator::NO_DEVICE) return error_of(ERROR_DEVICE_REMOVED, "The device was removed");
  return error_of(ERROR_PAGE_FAULT, "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)");
}

static void run(Commands* c) {
  emulator::Context* context = c->gpu->context;
  emulator::Context* current = nullptr;
  set_current(context);
  emulator::Code code = emulator::begin(true, &current);
  for (uint32_t i = 0; i < c->count_of && !code; i++) {
    if (emulator::planned("refuse-launch", emulator::state.launches + 1)) {
      emulator::state.launches++;
      c->error = error_of(ERROR_NOT_PERMITTED, "Insufficient Permission (to submit GPU work from background)");
      break;
    }
    code = run_launch(context, c->launches[i]);
  }
  if (code == emulator::NOT_READY) return;
  if (code) c->error = error_for(code);
  c->status = c->error ? COMMANDS_FAILED : COMMANDS_COMPLETED;
}

// What hangs stays, with all it uses.
static void stay(Commands* c) {
  c->owed = c->gpu->owed = -1;
  for (uint32_t i = 0; i < c->count_of; i++) {
    Function* f = c->launches[i].pipeline->function;
    c->launches[i].pipeline->owed = f->owed = f->library->owed = -1;
  }
}

static Count commands_status(Commands* c, Sel s) {
  TOLD;
  if (!c->committed || c->status >= COMMANDS_COMPLETED) return c->status;
  if (!c->looked) return c->looked = true, c->status = 3;
  if (!c->gpu->context->hung) run(c);
  if (c->status >= COMMANDS_COMPLETED) release(c);
  else stay(c);
  return c->status;
}

static Id commands_error(Commands* c, Sel s) {
  TOLD;
  return c->error ? autorelease((retain(c->error), c->error)) : nullptr;
}

METHODS(COMMANDS, METHOD("computeCommandEncoder", commands_encoder), METHOD("commit", commit), METHOD("status", commands_status),
  METHOD("error", commands_error));
METHODS(ENCODER, METHOD("setComputePipelineState:", set_pipeline), METHOD("setBuffer:offset:atIndex:", set_buffer),
  METHOD("setBytes:length:atIndex:", set_bytes), METHOD("setThreadgroupMemoryLength:atIndex:", set_local),
  METHOD("dispatchThreadgroups:threadsPerThreadgroup:", encoder_dispatch), METHOD("endEncoding", end_encoding));
const Class COMMANDS = { "MTLCommandBuffer", COMMANDS_METHODS, COMMANDS_COUNT, commands_last };
const Class ENCODER = { "MTLComputeCommandEncoder", ENCODER_METHODS, ENCODER_COUNT, encoder_last };

} // namespace objc
