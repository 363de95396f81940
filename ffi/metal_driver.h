// What of Metal and the Objective-C runtime the shim calls, in plain C: functions by name, messages by selector and type. The
// messages and numbers are those of Apple's documentation and of its Metal headers since macOS 11.
#ifndef TF_METAL_DRIVER_H
#define TF_METAL_DRIVER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct objc_object* Id;
typedef struct objc_selector* Sel;
typedef unsigned long Count; // NSUInteger

typedef struct MtlSize {
  Count width, height, depth;
} MtlSize;

enum { UTF8_ENCODING = 4, STORAGE_SHARED = 0, ARGUMENT_INFO = 1, ARGUMENT_BUFFER = 0, ARGUMENT_LOCAL = 1 };
enum { COMMANDS_COMPLETED = 4, COMMANDS_FAILED = 5 }; // MTLCommandBufferStatus; below: they run

enum { // MTLCommandBufferError
  ERROR_INTERNAL = 1, ERROR_TIMEOUT = 2, ERROR_PAGE_FAULT = 3, ERROR_ACCESS_REVOKED = 4, ERROR_NOT_PERMITTED = 7,
  ERROR_OUT_OF_MEMORY = 8, ERROR_INVALID_RESOURCE = 9, ERROR_DEVICE_REMOVED = 11, ERROR_STACK_OVERFLOW = 12
};

// Metal.framework needs libobjc and libdispatch, so that all are found through it.
#define METAL_FUNCTIONS(X, OPTIONAL)                                                                                  \
  X(void, objc_msgSend, void)                                                                                         \
  OPTIONAL(void, objc_msgSend_stret, void) /* x86-64: of a message that returns a struct in memory */                 \
  X(Sel, sel_registerName, const char*)                                                                               \
  X(Id, objc_getClass, const char*)                                                                                   \
  X(void*, objc_autoreleasePoolPush, void)                                                                            \
  X(void, objc_autoreleasePoolPop, void*)                                                                             \
  X(Id, dispatch_data_create, const void*, size_t, void*, void*) /* no queue, no destructor: it copies */             \
  X(Id, MTLCopyAllDevices, void)

// Result, the name that it is sent by here, selector, parameters. What a `new` or `alloc` message returns is the sender's to release.
#define METAL_MESSAGES(X)                                                                                             \
  X(Id, retain, "retain")                                                                                             \
  X(bool, responds, "respondsToSelector:", Sel)                                                                       \
  X(void, release, "release")                                                                                         \
  X(Id, alloc, "alloc")                                                                                               \
  X(Id, init_text, "initWithBytes:length:encoding:", const void*, Count, Count)                                       \
  X(const char*, utf8, "UTF8String")                                                                                  \
  X(Count, count, "count")                                                                                            \
  X(Id, object_at, "objectAtIndex:", Count)                                                                           \
  X(Id, description, "localizedDescription")                                                                          \
  X(long, code, "code")                                                                                               \
  X(Id, process_info, "processInfo")                                                                                  \
  X(Id, system_version, "operatingSystemVersionString")                                                               \
  X(Id, name, "name")                                                                                                 \
  X(Count, local_bytes, "maxThreadgroupMemoryLength")                                                                 \
  X(uint64_t, memory_bytes, "recommendedMaxWorkingSetSize")                                                           \
  X(MtlSize, max_group, "maxThreadsPerThreadgroup")                                                                   \
  X(Id, new_queue, "newCommandQueue")                                                                                 \
  X(Id, new_buffer, "newBufferWithLength:options:", Count, Count)                                                     \
  X(void*, contents, "contents")                                                                                      \
  X(Id, new_library, "newLibraryWithData:error:", Id, Id*)                                                            \
  X(Id, compile_library, "newLibraryWithSource:options:error:", Id, Id, Id*)                                          \
  X(Id, function_names, "functionNames")                                                                              \
  X(Id, new_function, "newFunctionWithName:", Id)                                                                     \
  X(Id, new_pipeline, "newComputePipelineStateWithFunction:options:reflection:error:", Id, Count, Id*, Id*)           \
  X(Id, arguments, "arguments")                                                                                       \
  X(Count, type, "type")                                                                                              \
  X(Count, index, "index")                                                                                            \
  X(bool, is_active, "isActive")                                                                                      \
  X(Count, max_threads, "maxTotalThreadsPerThreadgroup")                                                              \
  X(Count, width, "threadExecutionWidth")                                                                             \
  X(Count, static_local_bytes, "staticThreadgroupMemoryLength")                                                       \
  X(Id, commands, "commandBuffer")                                                                                    \
  X(Id, encoder, "computeCommandEncoder")                                                                             \
  X(void, set_pipeline, "setComputePipelineState:", Id)                                                               \
  X(void, set_buffer, "setBuffer:offset:atIndex:", Id, Count, Count)                                                  \
  X(void, set_bytes, "setBytes:length:atIndex:", const void*, Count, Count)                                           \
  X(void, set_local, "setThreadgroupMemoryLength:atIndex:", Count, Count)                                             \
  X(void, dispatch, "dispatchThreadgroups:threadsPerThreadgroup:", MtlSize, MtlSize)                                  \
  X(void, end_encoding, "endEncoding")                                                                                \
  X(void, commit, "commit")                                                                                           \
  X(Count, status, "status")                                                                                          \
  X(Id, error, "error")

#endif
