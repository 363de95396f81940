// Launches: checked as a GPU's driver does, queued, and run on the host device when something waits for them.
#include "emulator.h"
#include "state.h"
#include <stdlib.h>

namespace emulator {

constexpr uint32_t LOCAL_POISON = 0x7fa7dead; // a NaN

int max_threads(const Function* function) {
  int bound = (int)function->kernel->entry->max_threads;
  return bound ? bound : 1024;
}

Code parameter(const Function* function, size_t index, size_t* bytes) {
  const TfKernel* entry = function->kernel->entry;
  if (index >= entry->parameter_count) return BAD_VALUE;
  const TfParameter& p = entry->parameters[index];
  *bytes = p.kind == TF_PARAMETER_BYTES ? p.bytes : 8;
  return OK;
}

static Code check_sides(const Shape& s) {
  static const unsigned GROUP[] = { 1024, 1024, 64 }, GRID[] = { 0x7fffffff, 65535, 65535 };
  for (int i = 0; i < 3; i++)
    if (!s.group[i] || !s.grid[i] || s.group[i] > GROUP[i] || s.grid[i] > GRID[i]) return BAD_VALUE;
  return s.group[0] * s.group[1] * s.group[2] > 1024 ? BAD_VALUE : OK;
}

static Code check_cluster(const Function* f, const Shape& s) {
  if (!s.cluster) return OK;
  if (!chip()->cluster) return NOT_SUPPORTED;
  if (s.cluster > 8 && !f->wide_cluster) return violation("a cluster of %u without the function's opt-in", s.cluster), BAD_CLUSTER;
  if (s.cluster > (unsigned)chip()->cluster) return BAD_CLUSTER;
  return s.grid[0] % s.cluster ? BAD_VALUE : OK;
}

static Code check_shape(const Function* f, const Shape& s) {
  Code code = check_sides(s);
  if (!code) code = check_cluster(f, s);
  if (code) return code;
  unsigned threads = s.group[0] * s.group[1] * s.group[2];
  uint64_t groups = (uint64_t)s.grid[0] * s.grid[1] * s.grid[2];
  if (threads > (unsigned)max_threads(f)) return NO_RESOURCES;
  if (s.dynamic_bytes > (unsigned)f->dynamic_bytes) {
    violation("%u dynamic bytes; %s may have %d until it opts in", s.dynamic_bytes, f->symbol, f->dynamic_bytes);
    return BAD_VALUE;
  }
  return s.cooperative && groups > (uint64_t)chip()->multiprocessors * (2048 / threads) ? TOO_LARGE : OK;
}

// Values as the kernel takes them; addresses must lie in a buffer of the context.
static Code take(Context* context, const Function* f, void** values, TfArgument* arguments) {
  const TfKernel* entry = f->kernel->entry;
  if (entry->parameter_count && !values) return violation("%s takes arguments", f->symbol), BAD_VALUE;
  for (uint32_t i = 0; i < entry->parameter_count; i++) {
    const TfParameter& p = entry->parameters[i];
    bool buffer = p.kind != TF_PARAMETER_BYTES;
    arguments[i] = { buffer ? (uint32_t)TF_BUFFER : (uint32_t)TF_BYTES, buffer ? 8 : p.bytes, 0 };
    if (p.kind == TF_PARAMETER_LOCAL || arguments[i].bytes > 8 || !values[i])
      return violation("argument %u of %s", i, f->symbol), BAD_VALUE;
    memcpy(&arguments[i].value, values[i], arguments[i].bytes);
    context->arguments[i] = buffer ? arguments[i].value : 0;
    if (!context->arguments[i]) continue;
    Buffer* held = buffer_holding(arguments[i].value, 0);
    if (!held || held->owner != context) violation("argument %u of %s lies in no buffer", i, f->symbol);
  }
  return OK;
}

Code launch(Context* context, Function* function, const Shape& shape, void** values) {
  TfArgument arguments[TF_ARGUMENTS_MAX];
  if (!object_of(function, FUNCTION) || !object_of(function->module, MODULE)) return BAD_HANDLE;
  if (function->owner != context) return violation("%s is another context's", function->symbol), BAD_HANDLE;
  Code code = settle(context);
  uint64_t n = ++state.launches;
  if (!code && planned("refuse-launch", n)) code = NO_RESOURCES;
  if (!code) code = check_shape(function, shape);
  if (!code) code = take(context, function, values, arguments);
  if (code) return code;
  TfLaunch l = {};
  l.kernel = (uint64_t)function->kernel;
  l.arguments = arguments;
  l.argument_count = function->kernel->entry->parameter_count;
  l.dynamic_local_bytes = shape.dynamic_bytes;
  for (int i = 0; i < 3; i++) l.grid[i] = shape.grid[i], l.group[i] = shape.group[i];
  l.cluster = shape.cluster;
  l.flags = shape.cooperative ? TF_COOPERATIVE : 0;
  l.local_poison = LOCAL_POISON;
  if (host.launch(context->host, &l)) {
    char text[1024];
    host.error(context->host, text, sizeof text);
    return note("refused", "%s", text), BAD_VALUE;
  }
  context->waiting = true;
  context->launch = n;
  context->running = function;
  return OK;
}

// --- what a launch is planned to do ---

static uint64_t limit_ns() {
  const char* text = getenv("TF_EMULATE_LIMIT_MS");
  return (text && *text ? strtoull(text, nullptr, 10) : 10000) * 1000000;
}

// Copies of a launch's buffers, to find what it wrote.
struct Before {
  uint32_t count = 0;
  Buffer buffers[TF_ARGUMENTS_MAX];
  unsigned char* bytes[TF_ARGUMENTS_MAX];

  explicit Before(const Context* context) {
    for (uint32_t i = 0; i < context->running->kernel->entry->parameter_count; i++) {
      Buffer* held = context->arguments[i] ? buffer_holding(context->arguments[i], 0) : nullptr;
      unsigned char* copy = held ? (unsigned char*)malloc(held->bytes) : nullptr;
      if (!copy) continue;
      memcpy(copy, (const void*)held->address, held->bytes);
      buffers[count] = *held;
      bytes[count++] = copy;
    }
  }
  ~Before() {
    for (uint32_t i = 0; i < count; i++) free(bytes[i]);
  }
  // Turns one bit of the byte in the middle of the first buffer that the launch wrote to.
  void flip() const {
    for (uint32_t i = 0; i < count; i++) {
      unsigned char* now = (unsigned char*)buffers[i].address;
      uint64_t changed = 0, middle = 0;
      for (uint64_t j = 0; j < buffers[i].bytes; j++) changed += now[j] != bytes[i][j];
      for (uint64_t j = 0; j < buffers[i].bytes && middle <= changed / 2; j++)
        if (now[j] != bytes[i][j] && middle++ == changed / 2) {
          now[j] ^= 8;
          note("flip", "byte %llu of buffer %u after launch %llu", address_of(j), i, address_of(state.launches));
        }
      if (changed) return;
    }
  }
};

static Code code_of(Context* context, int status) {
  char text[2048];
  if (!status) return OK;
  host.error(context->host, text, sizeof text);
  note("fault", "%s", text);
  if (status == TF_DIVERGENCE || status == TF_TIMEOUT) return context->hung = true, NOT_READY;
  if (status == TF_NO_MEMORY) return NO_MEMORY;
  context->dead = strstr(text, "misaligned") ? MISALIGNED : strstr(text, "instruction") ? ILLEGAL_INSTRUCTION : ILLEGAL_ADDRESS;
  return tell(context);
}

// What was planned for the launch that has run.
static Code planned_end(Context* context) {
  uint64_t n = context->launch;
  if (planned("removed", n)) {
    note("gone", "device %d", context->device);
    state.gone = true;
    context->dead = GONE;
  }
  if (planned("sticky", n)) {
    state.poisoned = true;
    context->dead = ILLEGAL_ADDRESS;
  }
  if (planned("fault", n)) context->dead = ILLEGAL_ADDRESS;
  return context->dead ? tell(context) : OK;
}

Code run_queue(Context* context) {
  if (context->hung) return NOT_READY;
  if (!context->waiting) return OK;
  context->waiting = false;
  uint64_t n = context->launch;
  state.stuck |= planned("stuck", n);
  if (state.stuck || planned("hang", n)) return context->hung = true, NOT_READY;
  bool flips = planned("flip-bit", n) || (planned("every-third", 0) && n % 3 == 0);
  if (!flips) {
    Code code = code_of(context, host.wait(context->host, limit_ns()));
    return code ? code : planned_end(context);
  }
  Before before(context);
  Code code = code_of(context, host.wait(context->host, limit_ns()));
  if (!code) before.flip();
  return code;
}

Code settle(Context* context) {
  Code code = run_queue(context);
  if (code != NOT_READY) return code;
  violation("waits for a launch that never ends");
  context->dead = UNKNOWN;
  return tell(context);
}

Code record(Context* context, Event* event) {
  if (!object_of(event, EVENT)) return BAD_HANDLE;
  if (event->owner != context) return violation("the event is another context's"), BAD_HANDLE;
  event->recorded = true;
  event->polled = false;
  return OK;
}

Code query(Context* context, Event* event) {
  if (!object_of(event, EVENT)) return BAD_HANDLE;
  if (event->owner != context) return violation("the event is another context's"), BAD_HANDLE;
  if (!event->recorded) return violation("the event was never recorded"), BAD_HANDLE;
  bool first = !event->polled;
  event->polled = true;
  return first && context->waiting ? NOT_READY : run_queue(context);
}

} // namespace emulator
