// Images: bytes in memory, put into place and held against what this host device is.
#include "../dialect/simt/schedule.h"
#include "device.h"
#include "loader.h"

namespace tf {

static int refuse(Device* d, const char* why) {
  report(d) << "image: " << why;
  return TF_BAD_IMAGE;
}

static int check_image(Device* d, const TfImage* image) {
  if (image->abi != TF_IMAGE_ABI) {
    report(d) << "image: built for version " << image->abi << " of the host device, this one is " << TF_IMAGE_ABI
              << "; build it again";
    return TF_BAD_IMAGE;
  }
  if (image->layout != tf_layout()) return refuse(d, "built from other headers than this host device; build it again");
  for (tf_u32 i = 0; i < image->kernel_count; i++) {
    tf_u32 warp = image->kernels[i].warp_width;
    if (image->kernels[i].parameter_count > TF_ARGUMENTS_MAX) return refuse(d, "a kernel has more than 64 parameters");
    if (!warp || warp > TF_LANES_MAX || warp & (warp - 1)) return refuse(d, "a warp has a power of two of lanes, at most 64");
  }
  return TF_OK;
}

static Module* new_module(const TfImage* image) {
  tf_u64 bytes = sizeof(Module) + image->kernel_count * sizeof(Kernel);
  Module* m = (Module*)os_pages(bytes);
  if (!m) return nullptr;
  m->bytes = bytes;
  m->image = image;
  m->kernel_count = image->kernel_count;
  for (tf_u32 i = 0; i < m->kernel_count; i++) m->kernels[i].entry = &image->kernels[i];
  return m;
}

// A copy of the image as it came, for its line table.
static const tf_u8* kept_file(const void* bytes, tf_u64 count) {
  void* copy = os_pages(count);
  return copy ? (const tf_u8*)memcpy(copy, bytes, count) : nullptr;
}

static int adopt(Device* d, const PlacedImage& placed, Module** module) {
  typedef const TfImage* (*Entry)(void);
  const TfImage* image = ((Entry)placed.entry)();
  int status = check_image(d, image);
  if (status) return status;
  Module* m = new_module(image);
  if (!m) return TF_NO_MEMORY;
  m->base = placed.base;
  m->extent = placed.extent;
  *image->runtime = tf_runtime;
  m->next = d->modules;
  d->modules = m;
  *module = m;
  return TF_OK;
}

int module_load(Device* d, const void* bytes, tf_u64 count, Module** module) {
  PlacedImage placed;
  const char* why = image_place(bytes, count, &placed);
  if (why) return refuse(d, why);
  int status = adopt(d, placed, module);
  if (status) {
    image_remove(placed.base, placed.extent);
    return status;
  }
  (*module)->file = kept_file(bytes, count);
  (*module)->file_bytes = count;
  return TF_OK;
}

void module_unload(Device* d, Module* module) {
  Module** link = &d->modules;
  while (*link != module) link = &(*link)->next;
  *link = module->next;
  stacks_reset(d); // some may be parked in its code
  if (module->file) os_unmap((void*)module->file, module->file_bytes);
  image_remove(module->base, module->extent);
  os_unmap(module, module->bytes);
}

Module* module_holding(Device* d, tf_u64 pc) {
  for (Module* m = d->modules; m; m = m->next)
    if (pc - (tf_u64)m->base < m->extent) return m;
  return nullptr;
}

} // namespace tf
