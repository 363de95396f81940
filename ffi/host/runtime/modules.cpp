// Images: bytes in memory, loaded by the dynamic linker through a file that has no name.
#include "../dialect/simt/schedule.h"
#include "device.h"
#include <dlfcn.h>
#include <elf.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tf {

static int refuse(Device* d, const char* why) {
  report(d) << "image: " << why;
  return TF_BAD_IMAGE;
}

static int anonymous_file(const void* bytes, tf_u64 count) {
  int file = (int)syscall(SYS_memfd_create, "tf-image", 1u /* close on exec */);
  if (file < 0) return -1;
  for (tf_u64 done = 0; done < count;) {
    long n = write(file, (const char*)bytes + done, count - done);
    if (n <= 0) {
      close(file);
      return -1;
    }
    done += (tf_u64)n;
  }
  return file;
}

// The file stays open while the module is loaded: the dynamic linker takes a library of the same path for the same one.
static void* open_library(int file) {
  char path[64];
  Text(path, sizeof path) << "/proc/self/fd/" << (tf_u32)file;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static tf_u64 loaded_extent(const tf_u8* file) {
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)file;
  const Elf64_Phdr* segment = (const Elf64_Phdr*)(file + header->e_phoff);
  tf_u64 end = 0;
  for (int i = 0; i < header->e_phnum; i++) {
    tf_u64 segment_end = segment[i].p_vaddr + segment[i].p_memsz;
    if (segment[i].p_type == PT_LOAD && segment_end > end) end = segment_end;
  }
  return end;
}

static int check_image(Device* d, const TfImage* image) {
  if (image->abi != TF_IMAGE_ABI) {
    report(d) << "image: built for version " << image->abi << " of the host device, this one is " << TF_IMAGE_ABI
              << "; build it again";
    return TF_BAD_IMAGE;
  }
  if (image->layout != tf_layout()) return refuse(d, "built from other headers than this host device; build it again");
  for (tf_u32 i = 0; i < image->kernel_count; i++)
    if (image->kernels[i].parameter_count > TF_ARGUMENTS_MAX) return refuse(d, "a kernel has more than 64 parameters");
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

static int adopt(Device* d, void* library, int file, tf_u64 bytes, Module** module) {
  typedef const TfImage* (*Entry)(void);
  Entry entry = (Entry)dlsym(library, "tf_image");
  if (!entry) return refuse(d, "it has no tf_image, so it is not a kernel image of the host device");
  int status = check_image(d, entry());
  if (status) return status;
  Module* m = new_module(entry());
  if (!m) return TF_NO_MEMORY;
  Dl_info where;
  void* view = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  m->library = library;
  m->descriptor = file;
  m->file = view == MAP_FAILED ? nullptr : (const tf_u8*)view;
  m->file_bytes = bytes;
  if (dladdr((void*)entry, &where)) m->base = (char*)where.dli_fbase;
  m->extent = m->file ? loaded_extent(m->file) : 0;
  *m->image->runtime = tf_runtime;
  m->next = d->modules;
  d->modules = m;
  *module = m;
  return TF_OK;
}

int module_load(Device* d, const void* image, tf_u64 bytes, Module** module) {
  static const tf_u8 MAGIC[] = { 0x7f, 'E', 'L', 'F', 2, 1 };
#if defined(__x86_64__)
  constexpr int MACHINE = EM_X86_64;
#else
  constexpr int MACHINE = EM_AARCH64;
#endif
  if (bytes < sizeof(Elf64_Ehdr) || memcmp(image, MAGIC, sizeof MAGIC)) return refuse(d, "not a 64-bit ELF file");
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  if (header.e_machine != MACHINE) return refuse(d, "built for another processor");
  int file = anonymous_file(image, bytes);
  if (file < 0) {
    report(d) << "image: no memory for its " << bytes << " bytes";
    return TF_NO_MEMORY;
  }
  void* library = open_library(file);
  int status = library ? adopt(d, library, file, bytes, module) : refuse(d, dlerror());
  if (status) {
    if (library) dlclose(library);
    close(file);
  }
  return status;
}

void module_unload(Device* d, Module* module) {
  Module** link = &d->modules;
  while (*link != module) link = &(*link)->next;
  *link = module->next;
  stacks_reset(d); // some may be parked in its code
  if (module->file) os_unmap((void*)module->file, module->file_bytes);
  dlclose(module->library);
  close(module->descriptor);
  os_unmap(module, module->bytes);
}

Module* module_holding(Device* d, tf_u64 pc) {
  for (Module* m = d->modules; m; m = m->next)
    if (pc - (tf_u64)m->base < m->extent) return m;
  return nullptr;
}

} // namespace tf
