// Device memory: every buffer ends against an inaccessible page, and one stands before its first page, all in one
// reserved range, so that an address tells what it is.
#include "device.h"

namespace tf {

bool memory_open(Memory* m) {
  m->space = os_reserve(SPACE_BYTES);
  m->buffers = (Buffer*)os_pages(BUFFERS_MAX * sizeof(Buffer));
  return m->space && m->buffers;
}

// The first buffer whose pages end after `address`; `count` where there is none.
static tf_u32 first_after(const Memory* m, const char* address) {
  tf_u32 low = 0, high = m->count;
  while (low < high) {
    tf_u32 middle = (low + high) / 2;
    if (m->buffers[middle].pages_end > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The index at which `need` bytes of free addresses, at *place, come before the next buffer; -1 where there are none.
static int find_gap(const Memory* m, tf_u64 from, tf_u64 need, char** place) {
  char* at = m->space + from;
  for (tf_u32 i = first_after(m, at); i <= m->count; i++) {
    if (i && at < m->buffers[i - 1].pages_end) at = m->buffers[i - 1].pages_end;
    char* end = i < m->count ? m->buffers[i].pages : m->space + SPACE_BYTES;
    if (at + need <= end) return *place = at, (int)i;
  }
  return -1;
}

Buffer* memory_alloc(Memory* m, tf_u64 bytes) {
  if (m->count == BUFFERS_MAX || bytes > SPACE_BYTES / 2) return nullptr;
  tf_u64 size = round_up(bytes ? bytes : 1, PAGE), need = size + 2 * PAGE;
  char* place = nullptr;
  int index = find_gap(m, m->next, need, &place);
  if (index < 0) index = find_gap(m, 0, need, &place);
  if (index < 0 || !os_commit(place + PAGE, size)) return nullptr;
  m->next = (tf_u64)(place - m->space) + need;
  Buffer* b = &m->buffers[index];
  memmove(b + 1, b, (m->count++ - (tf_u32)index) * sizeof(Buffer));
  b->pages = place + PAGE;
  b->pages_end = b->pages + size;
  b->start = b->pages_end - round_up(bytes, 16); // multiples of 256 bytes start at one too, as GPU allocations do
  b->bytes = bytes;
  return b;
}

bool memory_free(Memory* m, tf_u64 start) {
  Buffer* b = memory_holding(m, start, 0);
  if (!b || (tf_u64)b->start != start) return false;
  os_decommit(b->pages, (tf_u64)(b->pages_end - b->pages));
  memmove(b, b + 1, (--m->count - (tf_u32)(b - m->buffers)) * sizeof(Buffer));
  return true;
}

Buffer* memory_holding(Memory* m, tf_u64 address, tf_u64 bytes) {
  tf_u64 offset = address - (tf_u64)m->space;
  if (offset >= SPACE_BYTES || bytes > SPACE_BYTES) return nullptr;
  tf_u32 i = first_after(m, m->space + offset);
  if (i && (tf_u64)m->buffers[i - 1].start + m->buffers[i - 1].bytes == address && bytes == 0) i--;
  if (i == m->count) return nullptr;
  Buffer* b = &m->buffers[i];
  tf_u64 start = (tf_u64)b->start;
  return address >= start && address + bytes <= start + b->bytes ? b : nullptr;
}

Buffer* memory_nearest(Memory* m, tf_u64 address) {
  tf_u32 i = first_after(m, (char*)address);
  Buffer *after = i < m->count ? &m->buffers[i] : nullptr, *before = i ? &m->buffers[i - 1] : nullptr;
  if (!after || !before) return after ? after : before;
  tf_u64 past = address - (tf_u64)before->pages_end;
  return address + past < (tf_u64)after->pages ? before : after;
}

} // namespace tf
