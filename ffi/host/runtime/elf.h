// What the loader and the line table read of a 64-bit ELF file: the same on every system that runs images.
#pragma once
#include "../image.h"

namespace tf {

struct ElfHeader {
  tf_u8 magic[6], unused[10];
  tf_u16 type, machine;
  tf_u32 version;
  tf_u64 entry, segments, sections; // file offsets of the two tables
  tf_u32 flags;
  tf_u16 header_bytes, segment_bytes, segment_count, section_bytes, section_count, section_names;
};
struct ElfSegment {
  tf_u32 type, flags;
  tf_u64 offset, address, physical, file_bytes, bytes, align;
};
struct ElfSection {
  tf_u32 name, type;
  tf_u64 flags, address, offset, bytes;
  tf_u32 link, info;
  tf_u64 align, entry_bytes;
};
struct ElfDynamic {
  tf_u64 tag, value;
};
struct ElfSymbol {
  tf_u32 name;
  tf_u8 info, other;
  tf_u16 section;
  tf_u64 address, bytes;
};
struct ElfRelocation {
  tf_u64 address, info, addend;
};
static_assert(sizeof(ElfHeader) == 64 && sizeof(ElfSegment) == 56 && sizeof(ElfSection) == 64, "as in the file");

enum { ELF_LOAD = 1, ELF_DYNAMIC = 2, ELF_TLS = 7 };                  // types of segments
enum { ELF_EXECUTE = 1, ELF_WRITE = 2 };                              // flags of segments
enum { ELF_HASH = 4, ELF_STRINGS = 5, ELF_SYMBOLS = 6, ELF_RELA = 7, ELF_RELA_BYTES = 8, ELF_REL = 17, ELF_PLT_BYTES = 2,
       ELF_INIT_ARRAY_BYTES = 27, ELF_RELR_BYTES = 35 };              // tags of the dynamic segment

#if defined(__x86_64__)
constexpr tf_u32 ELF_MACHINE = 62, ELF_RELATIVE = 8;
#else
constexpr tf_u32 ELF_MACHINE = 183, ELF_RELATIVE = 1027;
#endif

} // namespace tf
