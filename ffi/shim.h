// The one C ABI between the harness and a device. Every shim (host, CUDA, HIP, Level Zero, Metal) defines these functions, in
// this order, and nothing else that is visible. No logic above "call the driver, return its status".
//
// A function returns a TfStatus; the text behind it is read with tf_error. Handles are opaque 64-bit values, 0 is never one.
// A buffer handle is a device address: base + offset is a valid argument of a launch as long as it lies in the buffer.
#ifndef TF_SHIM_H
#define TF_SHIM_H
#include <stdint.h>

#define TF_ABI_VERSION 2u

typedef enum TfStatus {
  TF_OK = 0,
  TF_ABSENT = 1,       // no such device or driver
  TF_BAD_ARGUMENT = 2, // the call is wrong: unknown symbol, argument count, an impossible launch
  TF_BAD_IMAGE = 3,    // the image is not this device's, or another ABI's
  TF_NO_MEMORY = 4,
  TF_FAULT = 5,        // the kernel touched what it must not, divided by zero, trapped
  TF_DIVERGENCE = 6,   // a barrier or collective that not all of its threads reach; a deadlock
  TF_TIMEOUT = 7,      // the kernel still ran at the limit
  TF_LOST = 8,         // the device needs to be closed and opened again
  // Host device only, of check images:
  TF_RACE = 9,           // two threads take one place, one of them writes, and nothing orders them
  TF_UNINITIALISED = 10, // local memory or an output is read before it is written
  TF_BOUNDS = 11,        // past the end of a buffer or of a variable in local memory, or in neither
  TF_MISALIGNED = 12,
  TF_INPUT = 13          // a write to an input
} TfStatus;

typedef enum TfArgumentKind {
  TF_BUFFER = 0, // value: a device address (0: a null pointer)
  TF_BYTES = 1,  // value: the scalar's bytes, at most 8, low byte first
  TF_LOCAL = 2   // bytes: size of a local-memory argument (OpenCL __local*, Metal threadgroup*); value unused
} TfArgumentKind;

typedef struct TfArgument {
  uint32_t kind;
  uint32_t bytes;
  uint64_t value;
} TfArgument;

// What a launch may do with bytes of a buffer.
typedef enum TfExtentAccess {
  TF_EXTENT_READ = 0,    // only read: an input
  TF_EXTENT_WRITTEN = 1, // holds nothing before the launch: an output
  TF_EXTENT_UPDATED = 2
} TfExtentAccess;

typedef struct TfExtent {
  uint64_t address;
  uint64_t bytes;
  uint32_t access;
  char name[44]; // for reports, terminated
} TfExtent;

typedef struct TfLaunch {
  uint64_t kernel;
  const TfArgument* arguments;
  uint32_t argument_count;
  uint32_t dynamic_local_bytes;
  uint32_t grid[3];    // groups
  uint32_t group[3];   // threads in a group
  uint32_t cluster;    // groups in a cluster, 0 for none
  uint32_t flags;      // TF_FLUSH_DENORMALS, TF_COOPERATIVE, and those of check images
  // Host device only; a GPU's shim ignores the rest.
  uint64_t schedule;   // 0: index order; else the seed of thread, release and group order
  uint32_t local_poison; // what local memory holds before every group, repeated
  uint32_t extent_count; // at most 64
  const TfExtent* extents; // for check images; a buffer in none of them may be read and written, all of it
  uint32_t ulps;         // of images whose functions may be off: 0 exact, 1 and 2 all up and all down, else a seed
  uint32_t reserved;
} TfLaunch;

enum {
  TF_FLUSH_DENORMALS = 1,
  TF_COOPERATIVE = 2,
  TF_PREEMPT = 4,      // check images: another thread may run after any access, by the schedule's seed
  TF_LOCKSTEP = 8,     // check images: a warp's lanes take turns at local memory, and do not race with each other
  TF_STRICT_WARPS = 16 // check images: only a warp's barrier orders its accesses to memory, other collectives do not
};

#if defined(_WIN32)
#define TF_EXPORT __declspec(dllexport)
#else
#define TF_EXPORT __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif

TF_EXPORT uint32_t tf_abi_version(void);
// Opens device `index`. A device is used by one thread at a time; several may be open.
TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device);
// Writes the device's name, driver and limits as one JSON object, NUL-terminated, into text. Of a GPU: name, driver, chip (sm_90,
// gfx1100, pvc, M1), max_threads (a group), max_group and max_grid ([x,y,z]), warp, registers (a group), local_bytes (a group, by
// default), local_bytes_optin, multiprocessors, memory_bytes; each absent where the driver does not tell.
TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity);
TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer);
TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer);
TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes);
TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes);
// Fills with a repeated 32-bit word; bytes need not be a multiple of 4.
TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes);
// Loads an image from memory; the bytes may be freed afterwards.
TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module);
TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module);
// Finds a kernel by its symbol and writes its loaded attributes as JSON, each absent where the driver does not tell: max_threads
// (a group; 0: no bound), static_local_bytes, arguments, registers (a thread), spill_bytes (a thread), warp, required_warp
// (lanes that the source requires; 0: none), max_dynamic_local_bytes (the most that a launch may ask for); of the host device functions: four words of bits, of what the
// module's last launch called in an image that notes it.
TF_EXPORT int32_t tf_kernel(uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity);
// Queues a launch. Arguments and extents are copied.
TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch);
// Runs the queue to its end, or until the limit (0: none). After TF_FAULT, TF_DIVERGENCE and TF_TIMEOUT the host device is usable
// again. A GPU is not: every later call answers TF_LOST until it is closed and opened again, and where that fails too, only another
// process can use it.
TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns);
TF_EXPORT int32_t tf_close(uint64_t device);
// The text behind the last status that was not TF_OK of this device (0, or one that is closed: of tf_open or tf_close).
TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity);

#ifdef __cplusplus
}
#endif
#endif
