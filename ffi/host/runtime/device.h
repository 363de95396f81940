// The state of an opened device: its memory, stacks, modules and launch queue. Nothing of it is shared with another
// device; the registry of open devices is all that is process-wide.
#pragma once
#include "../../shim.h"
#include "os.h"
#include "text.h"

namespace tf {

constexpr tf_u32 THREADS_MAX = 1024;            // in a group
constexpr tf_u32 LOCAL_MAX = 256 * 1024;        // bytes of local memory a group
constexpr tf_u32 DEVICES_MAX = 64;
constexpr tf_u32 QUEUE_MAX = 1024;
constexpr tf_u32 VARIABLES_MAX = 64;            // static local variables a launch
constexpr tf_u32 BUFFERS_MAX = 16384;
constexpr tf_u32 EXTENTS_MAX = 64;              // a launch
constexpr tf_u64 ARENA_STRIDE = LOCAL_MAX + PAGE; // a group's local memory and the inaccessible page behind it
constexpr tf_u64 PLACE_GAP = 1024;              // check images: bytes between variables in local memory
constexpr tf_u64 SPACE_BYTES = 32ull << 30;     // of device addresses
constexpr tf_u32 SLOTS = 1u << (TF_REGION_SHIFT - TF_STACK_SHIFT);
constexpr tf_u32 FIRST_SLOT = (SLOTS << TF_CONTEXT_SHIFT) >> TF_STACK_SHIFT; // the contexts lie in the slots below
constexpr tf_u32 STACKS = SLOTS - FIRST_SLOT;   // threads that can be resident at once
constexpr tf_u64 STACK_BYTES = 1ull << TF_STACK_SHIFT, REGION_BYTES = 1ull << TF_REGION_SHIFT;

struct Buffer {
  char* start;
  tf_u64 bytes;
  char *pages, *pages_end; // accessible; a guard page stands on either side
};

struct Memory {
  char* space;
  Buffer* buffers; // by address
  tf_u32 count;
  tf_u64 next;     // where the search for free addresses goes on, so that freed ones stay inaccessible for long
};

struct Kernel {
  const TfKernel* entry;
  tf_u32 static_local_bytes; // the most that a launch has used; known only by running it
};

struct Module {
  Module* next;
  tf_u64 bytes; // of this record
  const tf_u8* file; // the image as it was loaded, for its line table
  tf_u64 file_bytes;
  const TfImage* image;
  char* base; // where it was loaded
  tf_u64 extent;
  tf_u32 kernel_count;
  Kernel kernels[1];
};

struct Queued {
  TfLaunch launch;
  Module* module;
  Kernel* kernel;
  TfArgument arguments[TF_ARGUMENTS_MAX];
  TfExtent extents[EXTENTS_MAX];
};

struct Check; // of check images, check.h

// What a signal found, kept for the report that follows on the launch's own stack.
struct Fault {
  int signal, code;
  tf_u64 address, pc;
  tf_u8 instruction[8];
  int access; // 0 reads, 1 writes, 2 not told
  TfThread* thread; // null: none
};

struct Device : TfSchedule {
  TfContext main; // where tf_wait goes on
  char* region;   // contexts and stacks
  tf_u32 made;    // stacks that exist
  tf_u32 group_capacity, warp_capacity, arena_count;
  TfWarp* warps;
  TfBarrier* wide_barriers; // the grid's, then one a cluster
  tf_u32* order_buffer;     // STACKS entries
  TfThread** shuffle;       // STACKS entries
  char* arenas;             // local memory, an arena and its guards a resident group
  Memory memory;
  Module* modules;
  Queued* queue;
  tf_u32 queued;
  // of the launch that runs
  Queued* running;
  Check* check;  // null before the first check image
  bool checking; // the launch is one of a check image
  tf_u64 random;
  // of a kernel in steps
  TfThread* lanes;    // the threads of a group that runs on one stack, THREADS_MAX
  char* frames;
  tf_u64 frames_capacity;
  const TfPlace* places;
  tf_u32 frame_bytes; // of a thread
  bool in_steps;      // groups begin on one stack
  bool stepping;      // one does now,
  TfThread* lane;     // and this thread runs; TF_STEP_TOGETHER may be added
  tf_u32 step_at;     // the place that its step came from
  bool parted;        // its threads have parted: each goes on with a stack of its own
  bool descending;    // a ranked schedule begins with the last warp
  tf_u32 warp_total, first_ready; // of the resident groups; no warp of a lower rank is ready
  int status;
  volatile int late;
  tf_u64 local_used; // bytes of static local memory placed so far
  tf_u32 variable_count;
  TfLocalVariable* variables[VARIABLES_MAX];
  void* argument_pointers[TF_ARGUMENTS_MAX];
  tf_u64 argument_values[TF_ARGUMENTS_MAX];
  Fault fault;
  // of the thread that waits
  void* signal_stack; // stays mapped: a thread may have it registered for as long as it lives
  tf_u64 timer, timer_thread;
  char error[2048];
};

inline Device* device_of(TfThread* thread) { return (Device*)thread->schedule; }
inline TfThread* context_at(Device* d, tf_u32 slot) {
  return (TfThread*)(d->region + ((tf_u64)slot << TF_CONTEXT_SHIFT));
}

inline TfThread* lane_running(const Device* d) { return (TfThread*)((tf_u64)d->lane & ~TF_STEP_TOGETHER); }
// Where this code runs: the thread, whether on a stack of its own or in a step of several.
struct Here {
  Device* device;
  TfThread* thread;
  inline __attribute__((always_inline)) Here() : device(device_of(tf_self())) {
    thread = device->stepping ? lane_running(device) : tf_self();
  }
};
inline TfThread* thread_here() { return Here().thread; }

extern Device* volatile registry[DEVICES_MAX];

// stacks.cpp
bool stacks_open(Device* d);
TfThread* stack_new(Device* d);    // null: no memory
void stacks_reset(Device* d);      // forgets what runs on any of them
// order.cpp
void order_threads(Device* d); // the order in which threads of a seeded schedule start
tf_u32 rank_of(const Device* d, const TfWarp* warp);
TfWarp* warp_at(const Device* d, tf_u32 rank);
// steps.cpp
bool steps_prepare(Device* d);   // false: no memory
bool steps_run_group(Device* d); // false: the group did not come to its end, by a fault or as its threads part
void steps_body(TfThread*, void** arguments);
// queue.cpp
TfThread* take_unstarted(Device* d); // null: no memory
tf_u64 next_random(Device* d);
void release(Device* d, TfThread* head, TfThread* tail);
void run_another(Device* d, TfThread* thread); // returns when `thread` is released
void run_another_from_main(Device* d);         // returns when no thread can run, or one has stopped the launch
[[noreturn]] void stop(TfThread* thread, int status);
void queue_leave(TfThread*);
void queue_idle(TfThread*);
void queue_yield(TfThread*);
void queue_finish(TfThread*);
// barriers.cpp
void barrier_arrive(TfThread*, TfBarrier*, TfSite);
void barrier_left(Device* d, TfBarrier*); // a thread that it counted has returned
// meetings.cpp
TfMeeting* meeting_of_mask(TfThread*, tf_u64 mask, TfSite);
void meeting_arrive(TfThread*, TfMeeting*, tf_u32 op, TfSite);
TfMeeting* meeting_arrive_active(TfThread*, tf_u64 value, tf_u32 op, TfSite, tf_u32* buffer);
void meetings_left(Device* d, TfWarp*); // a lane has returned
bool meetings_settle(Device* d);        // completes unmasked meetings once nothing else can run
void meetings_reset(TfWarp*);
// local.cpp
bool arenas_reserve(Device* d, tf_u32 groups);
void arenas_free(Device* d);
char* arena_end(Device* d, tf_u32 group);
char* local_place(TfThread*, TfLocalVariable*);
void local_poison(Device* d, TfGroup* group);
// memory.cpp
bool memory_open(Memory* m);
Buffer* memory_alloc(Memory* m, tf_u64 bytes);
bool memory_free(Memory* m, tf_u64 start);
Buffer* memory_holding(Memory* m, tf_u64 address, tf_u64 bytes); // null unless all of it lies in one buffer
Buffer* memory_nearest(Memory* m, tf_u64 address);
// launch.cpp
int launch_run(Device* d, Queued* q);
int launch_check(Device* d, const TfLaunch* launch, const TfKernel* kernel);
// signals.cpp
void signals_enter(Device* d, tf_u64 limit_ns);
// timers.cpp
#if defined(__APPLE__)
constexpr int TIMER_SIGNAL = SIGVTALRM; // by nobody's timer but its own, and Bun has none
#else
constexpr int TIMER_SIGNAL = 43; // a real-time signal that neither libc nor JavaScriptCore uses
#endif
tf_u64 this_thread();
void timer_set(Device* d, tf_u64 limit_ns); // TIMER_SIGNAL to this thread from then on, until it is stopped
void timer_stop(Device* d);
void timer_close(Device* d);
// report.cpp
Text report(Device* d);
void put_thread(Text& text, TfThread* thread);
void report_fault(Device* d);
void report_deadlock(Device* d);
const char* operation_name(tf_u32 op);
[[noreturn]] void stop_fault(TfThread*, const char* what, TfSite);
[[noreturn]] void stop_outside(TfThread*, long long index, const char* array, TfSite);
// lines.cpp
bool line_of(const Module* module, tf_u64 pc, Text& text); // appends file:line of the code at pc
// modules.cpp
int module_load(Device* d, const void* image, tf_u64 bytes, Module** module);
void module_unload(Device* d, Module* module);
Module* module_holding(Device* d, tf_u64 pc);

} // namespace tf
