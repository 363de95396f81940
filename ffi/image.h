// Whether an image is whole: drivers of CUDA and HIP are told where it begins, and take from its headers where it ends.
#ifndef TF_IMAGE_H
#define TF_IMAGE_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Whether `count` pieces of `each` bytes from `at` on end inside `bytes`.
static bool is_inside(uint64_t at, uint64_t count, uint64_t each, uint64_t bytes) {
  return at <= bytes && (!each || count <= (bytes - at) / each);
}

// Whether all that the headers of an ELF file of 64 bits tell of lies inside its bytes.
static bool elf_is_whole(const unsigned char* image, uint64_t bytes) {
  enum { SECTION = 64, SEGMENT = 56, EMPTY_SECTION = 8 };
  const uint32_t VENDOR_SECTION = 0x60000000; // some of these types have no bytes in the file either
  struct {
    unsigned char start[32];
    uint64_t segments, sections;
    uint32_t flags;
    uint16_t own, segment, segment_count, section, section_count, names;
  } head;
  if (bytes < sizeof head || memcmp(image, "\x7f" "ELF\2\1", 6)) return false;
  memcpy(&head, image, sizeof head);
  bool sized = (!head.section_count || head.section == SECTION) && (!head.segment_count || head.segment == SEGMENT);
  if (!sized || !is_inside(head.sections, head.section_count, SECTION, bytes)) return false;
  if (!is_inside(head.segments, head.segment_count, SEGMENT, bytes)) return false;
  for (uint32_t i = 0; i < head.section_count; i++) {
    struct { uint32_t name, type; uint64_t flags, address, at, bytes, rest[3]; } section;
    memcpy(&section, image + head.sections + (uint64_t)i * SECTION, SECTION);
    bool has_bytes = section.type != EMPTY_SECTION && section.type < VENDOR_SECTION;
    if (section.type && !is_inside(section.at, 1, has_bytes ? section.bytes : 0, bytes)) return false;
  }
  for (uint32_t i = 0; i < head.segment_count; i++) {
    struct { uint32_t type, flags; uint64_t at, address, physical, bytes, rest[2]; } segment;
    memcpy(&segment, image + head.segments + (uint64_t)i * SEGMENT, SEGMENT);
    if (segment.type && !is_inside(segment.at, 1, segment.bytes, bytes)) return false;
  }
  return true;
}

// A fat binary of CUDA: 16 bytes or more, of which the last 8 of its head say how many follow.
static bool is_fat(const unsigned char* image) { return !memcmp(image, "\x50\xed\x55\xba", 4); }

static bool fat_is_whole(const unsigned char* image, uint64_t bytes) {
  uint64_t rest;
  memcpy(&rest, image + 8, sizeof rest);
  return rest <= bytes - 16;
}

// Whether each code object of a bundle ends inside its bytes. An entry: where it is, its bytes, the bytes of its name, the name.
static bool bundle_is_whole(const unsigned char* image, uint64_t bytes) {
  static const char MAGIC[] = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t at = sizeof MAGIC - 1 + 8, count;
  if (bytes < at || memcmp(image, MAGIC, sizeof MAGIC - 1)) return false;
  memcpy(&count, image + at - 8, 8);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t entry[3];
    if (bytes - at < sizeof entry) return false;
    memcpy(entry, image + at, sizeof entry);
    at += sizeof entry;
    if (entry[2] > bytes - at || entry[0] > bytes || entry[1] > bytes - entry[0]) return false;
    at += entry[2];
  }
  return true;
}

#endif
