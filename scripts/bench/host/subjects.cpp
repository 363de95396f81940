// The host device behind ffi/shim.h, and plain C++.
#include "../../../ffi/shim.h"
#include "driver.h"
#include "plain.h"
#include <cstdlib>
#include <dlfcn.h>

namespace {

struct Shim {
  decltype(&tf_open) open;
  decltype(&tf_alloc) alloc;
  decltype(&tf_upload) upload;
  decltype(&tf_download) download;
  decltype(&tf_load) load;
  decltype(&tf_kernel) kernel;
  decltype(&tf_launch) launch;
  decltype(&tf_wait) wait;
  decltype(&tf_error) error;
  uint64_t device = 0;

  explicit Shim(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) fail(dlerror());
    find(library, "tf_open", open), find(library, "tf_alloc", alloc), find(library, "tf_upload", upload);
    find(library, "tf_download", download), find(library, "tf_load", load), find(library, "tf_kernel", kernel);
    find(library, "tf_launch", launch), find(library, "tf_wait", wait), find(library, "tf_error", error);
    check(open(0, &device));
  }
  template <class F> static void find(void* library, const char* name, F& function) {
    function = (F)dlsym(library, name);
    if (!function) fail(std::string("no ") + name);
  }
  void check(int32_t status) {
    char text[4096] = "";
    if (status) error(device, text, sizeof text), fail(text);
  }
};

class DeviceKernel : public Subject {
  Shim* shim;
  TfLaunch launch = {};
  std::vector<TfArgument> arguments;
  uint64_t output_buffer = 0, output_bytes = 0;

public:
  DeviceKernel(Shim* shim, const Fields& f, const std::vector<Argument>& given) : shim(shim) {
    std::string image = read_file(f[2]);
    uint64_t module;
    char text[512];
    shim->check(shim->load(shim->device, image.data(), image.size(), &module));
    shim->check(shim->kernel(shim->device, module, f[3].c_str(), &launch.kernel, text, sizeof text));
    for (const Argument& a : given) arguments.push_back(place(a));
    launch.arguments = arguments.data();
    launch.argument_count = (uint32_t)arguments.size();
    launch.grid[0] = (uint32_t)atoi(f[4].c_str()), launch.grid[1] = (uint32_t)atoi(f[5].c_str()), launch.grid[2] = 1;
    launch.group[0] = 256, launch.group[1] = launch.group[2] = 1;
    launch.schedule = strtoull(f[6].c_str(), nullptr, 10);
    launch.local_poison = 0x7fa5dead;
  }
  void run() override {
    shim->check(shim->launch(shim->device, &launch));
    shim->check(shim->wait(shim->device, 0));
  }
  std::string output() override {
    std::string bytes(output_bytes, 0);
    shim->check(shim->download(shim->device, output_buffer, bytes.data(), output_bytes));
    return bytes;
  }

private:
  TfArgument place(const Argument& a) {
    if (a.kind == Argument::SCALAR) return { TF_BYTES, 4, *(const uint32_t*)a.data.data() };
    uint64_t buffer;
    shim->check(shim->alloc(shim->device, a.bytes, &buffer));
    if (a.kind == Argument::IN) shim->check(shim->upload(shim->device, buffer, a.data.data(), a.bytes));
    else output_buffer = buffer, output_bytes = a.bytes;
    return { TF_BUFFER, 8, buffer };
  }
};

class Plain : public Subject {
  PlainFunction function;
  unsigned rows;
  std::vector<void*> values, pointers;
  char* out = nullptr;
  size_t out_bytes = 0;

public:
  Plain(const Fields& f, const std::vector<Argument>& given)
      : function(plain_function(f[2].c_str())), rows((unsigned)atoi(f[3].c_str())) {
    if (!function) fail("no plain function " + f[2]);
    for (const Argument& a : given) {
      char* memory = (char*)aligned_alloc(64, (a.bytes + 63) / 64 * 64);
      a.data.copy(memory, a.data.size());
      if (a.kind == Argument::OUT) out = memory, out_bytes = a.bytes;
      values.push_back(memory);
    }
    for (size_t i = 0; i < given.size(); i++)
      pointers.push_back(given[i].kind == Argument::SCALAR ? values[i] : &values[i]);
  }
  void run() override { function(pointers.data(), rows); }
  std::string output() override { return std::string(out, out_bytes); }
};

} // namespace

Subject* open_device(const std::string& runtime, const Fields& asked, const std::vector<Argument>& arguments) {
  static Shim shim(runtime);
  return new DeviceKernel(&shim, asked, arguments);
}
Subject* open_plain(const Fields& asked, const std::vector<Argument>& arguments) { return new Plain(asked, arguments); }
