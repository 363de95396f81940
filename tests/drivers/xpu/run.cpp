#include "run.h"
#include <stdlib.h>

using namespace emulator;

namespace ze {

int32_t result_of(Code code) {
  switch (code) {
  case OK: return Z_SUCCESS;
  case emulator::NOT_READY: return Z_NOT_READY;
  case NOT_INITIALISED: case NO_DEVICE: return Z_ERROR_UNINITIALIZED;
  case NO_MEMORY: return Z_ERROR_OUT_OF_DEVICE_MEMORY;
  case BAD_IMAGE: return Z_ERROR_MODULE_BUILD_FAILURE;
  case NOT_FOUND: return Z_ERROR_INVALID_KERNEL_NAME;
  case ILLEGAL_ADDRESS: case MISALIGNED: case ILLEGAL_INSTRUCTION: case GONE: case UNKNOWN: return Z_ERROR_DEVICE_LOST;
  default: return Z_ERROR_INVALID_ARGUMENT;
  }
}

Command* append(Handle* list, int kind, Handle* signal) {
  list->queue = (Command*)realloc(list->queue, (list->queued + 1) * sizeof(Command));
  if (!list->queue) abort();
  Command* c = &list->queue[list->queued++];
  memset((void*)c, 0, sizeof *c);
  c->kind = kind;
  c->signal = signal;
  if (signal && (signal->signalled || signal->promised)) violation("an event is signalled twice without a reset between");
  if (signal) signal->promised = list;
  return c;
}

static int32_t run_launch(Handle* list, Command* c) {
  Context* context = list->context;
  c->launch.arguments = c->arguments;
  if (host.launch(context->host, &c->launch)) {
    char text[1024];
    host.error(context->host, text, sizeof text);
    return violation("%s", text), Z_ERROR_UNKNOWN;
  }
  context->waiting = true;
  context->launch = c->number;
  context->running = c->function;
  for (uint32_t i = 0; i < c->launch.argument_count; i++)
    context->arguments[i] = c->arguments[i].kind == TF_BUFFER ? c->arguments[i].value : 0;
  int32_t result = result_of(run_queue(context));
  list->hangs |= result == Z_NOT_READY;
  return result;
}

static int32_t run_command(Handle* list, Command* c) {
  Code code = OK;
  if (c->kind == Command::LAUNCH) return run_launch(list, c);
  if (c->kind == Command::FILL) code = fill(list->context, (uint64_t)c->to, c->word, 4, c->bytes / 4);
  else if (c->kind == Command::COPY && memory_at(c->to)) code = write(list->context, (uint64_t)c->to, c->from, c->bytes);
  else if (c->kind == Command::COPY) code = read(list->context, c->to, (uint64_t)c->from, c->bytes);
  if (!code && c->signal) c->signal->signalled = true;
  return result_of(code);
}

int32_t run(Handle* list) {
  int32_t status = Z_SUCCESS;
  for (uint32_t first = 0, end; first < list->queued && !status; first = end + 1) {
    for (end = first; end < list->queued && list->queue[end].kind != Command::BARRIER; end++) {}
    for (uint32_t i = end; i-- > first && !status;) status = run_command(list, &list->queue[i]);
    if (end < list->queued && !status) status = run_command(list, &list->queue[end]);
  }
  list->queued = 0;
  return status;
}

} // namespace ze
