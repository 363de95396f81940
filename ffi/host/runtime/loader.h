// Images in memory.
#pragma once
#include "os.h"

namespace tf {

struct PlacedImage {
  char* base;
  tf_u64 extent;
  void* entry; // its tf_image
};

const char* image_place(const void* bytes, tf_u64 count, PlacedImage* placed); // why it cannot be; null where it was
void image_remove(char* base, tf_u64 extent);

} // namespace tf
