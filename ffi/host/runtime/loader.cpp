// Puts an image into memory, on every system alike: its segments, relocated, with the protection that each asks for. An
// image needs nothing from outside, so its relocations only add the place where it was put; what needs more is refused.
// Every offset is held against the file or the place before it is used.
#include "elf.h"
#include "loader.h"

namespace tf {

namespace {

constexpr tf_u64 EXTENT_MAX = 1ull << 32;

struct Loading {
  const tf_u8* file;
  tf_u64 file_bytes;
  ElfHeader header;
  char* base;
  tf_u64 extent;

  const char* read_header();
  ElfSegment segment(tf_u32 i) const;
  const char* measure();
  const char* fill();
  const char* relocate();
  const char* protect();
  // The bytes at an address of the image; null unless all of them lie in it.
  void* at(tf_u64 address, tf_u64 bytes) const {
    return address <= extent && bytes <= extent - address ? base + address : nullptr;
  }
  tf_u64 dynamic(tf_u64 tag) const; // 0 where there is none
  void* entry() const; // its tf_image; null where it has none
};

const char* Loading::read_header() {
  static const tf_u8 MAGIC[] = { 0x7f, 'E', 'L', 'F', 2, 1 };
  if (file_bytes < sizeof header || memcmp(file, MAGIC, sizeof MAGIC)) return "not a 64-bit ELF file";
  memcpy(&header, file, sizeof header);
  if (header.machine != ELF_MACHINE) return "built for another processor";
  tf_u64 table = (tf_u64)header.segment_count * sizeof(ElfSegment);
  bool inside = header.segments <= file_bytes && table <= file_bytes - header.segments;
  return inside && header.segment_bytes == sizeof(ElfSegment) ? nullptr : "cut short, or no library";
}

ElfSegment Loading::segment(tf_u32 i) const {
  ElfSegment s;
  memcpy(&s, file + header.segments + i * sizeof s, sizeof s);
  return s;
}

// Segments come in the order of their addresses, no two in one page.
const char* Loading::measure() {
  for (tf_u32 i = 0; i < header.segment_count; i++) {
    ElfSegment s = segment(i);
    if (s.type == ELF_TLS) return "it has thread-local variables, which an image cannot have";
    if (s.type != ELF_LOAD) continue;
    if (s.offset > file_bytes || s.file_bytes > file_bytes - s.offset) return "cut short";
    if (s.file_bytes > s.bytes || s.bytes > EXTENT_MAX || s.address > EXTENT_MAX) return "a segment of no sense";
    if (s.address / PAGE * PAGE < extent) return "segments that share a page, or stand in no order";
    extent = round_up(s.address + s.bytes, PAGE);
  }
  return extent ? nullptr : "no segment to load";
}

const char* Loading::fill() {
  for (tf_u32 i = 0; i < header.segment_count; i++) {
    ElfSegment s = segment(i);
    if (s.type != ELF_LOAD) continue;
    tf_u64 start = s.address / PAGE * PAGE, end = round_up(s.address + s.bytes, PAGE);
    if (!os_commit(base + start, end - start)) return "no memory for it";
    memcpy(base + s.address, file + s.offset, s.file_bytes);
  }
  return nullptr;
}

tf_u64 Loading::dynamic(tf_u64 tag) const {
  for (tf_u32 i = 0; i < header.segment_count; i++) {
    ElfSegment s = segment(i);
    if (s.type != ELF_DYNAMIC) continue;
    const ElfDynamic* entry = (const ElfDynamic*)at(s.address, s.bytes);
    for (tf_u64 n = entry ? s.bytes / sizeof *entry : 0; n-- > 0; entry++)
      if (entry->tag == tag) return entry->value;
  }
  return 0;
}

const char* Loading::relocate() {
  if (dynamic(ELF_PLT_BYTES) || dynamic(ELF_REL) || dynamic(ELF_RELR_BYTES) || dynamic(ELF_INIT_ARRAY_BYTES))
    return "it needs a dynamic linker, or code that runs as it is loaded";
  tf_u64 bytes = dynamic(ELF_RELA_BYTES);
  const ElfRelocation* r = (const ElfRelocation*)at(dynamic(ELF_RELA), bytes);
  if (!r) return "relocations outside of it";
  for (tf_u64 n = bytes / sizeof *r; n-- > 0; r++) {
    char* place = (char*)at(r->address, 8);
    if (!place) return "a relocation outside of it";
    if (r->info != ELF_RELATIVE) return "a relocation that names a symbol";
    tf_u64 value = (tf_u64)base + r->addend;
    memcpy(place, &value, sizeof value);
  }
  return nullptr;
}

const char* Loading::protect() {
  os_code_written(base, extent);
  for (tf_u32 i = 0; i < header.segment_count; i++) {
    ElfSegment s = segment(i);
    if (s.type != ELF_LOAD || s.flags & ELF_WRITE) continue;
    tf_u64 start = s.address / PAGE * PAGE, end = round_up(s.address + s.bytes, PAGE);
    if (!os_seal(base + start, end - start, (s.flags & ELF_EXECUTE) != 0)) return "the system lets no new code run";
  }
  return nullptr;
}

void* Loading::entry() const {
  static const char NAME[] = "tf_image";
  const tf_u32* hash = (const tf_u32*)at(dynamic(ELF_HASH), 8);
  tf_u64 count = dynamic(ELF_HASH) && hash ? hash[1] : 0;
  const ElfSymbol* symbols = (const ElfSymbol*)at(dynamic(ELF_SYMBOLS), count * sizeof *symbols);
  for (tf_u64 i = 1; symbols && i < count; i++) {
    const void* found = at(dynamic(ELF_STRINGS) + symbols[i].name, sizeof NAME);
    if (found && symbols[i].section && !memcmp(found, NAME, sizeof NAME)) return at(symbols[i].address, 1);
  }
  return nullptr;
}

} // namespace

const char* image_place(const void* bytes, tf_u64 count, PlacedImage* placed) {
  Loading l = { (const tf_u8*)bytes, count, {}, nullptr, 0 };
  const char* why = l.read_header();
  if (!why) why = l.measure();
  if (why) return why;
  l.base = os_reserve(l.extent);
  if (!l.base) return "no addresses for it";
  why = l.fill();
  void* entry = why ? nullptr : l.entry();
  if (!why && !entry) why = "it has no tf_image, so it is not a kernel image of the host device";
  if (!why) why = l.relocate();
  if (!why) why = l.protect();
  if (why) os_unmap(l.base, l.extent);
  *placed = { l.base, l.extent, entry };
  return why;
}

void image_remove(char* base, tf_u64 extent) { os_unmap(base, extent); }

} // namespace tf
