// What a kernel image and the runtime share: the context of a thread, of its warp and group, the runtime's function
// table and the image's own table. Freestanding: no libc, no STL. Both sides compare TF_IMAGE_ABI and tf_layout() at
// load.
#ifndef TF_IMAGE_H
#define TF_IMAGE_H

typedef unsigned char tf_u8;
typedef unsigned short tf_u16;
typedef unsigned int tf_u32;
typedef unsigned long long tf_u64;
typedef __UINTPTR_TYPE__ tf_address;

#if defined(__clang__)
#define TF_NODEBUG __attribute__((nodebug)) // what is inlined has its caller's line: a fault names the kernel's source
// Accesses only the runtime's own structures.
#define TF_TRUSTED __attribute__((no_sanitize("alignment", "array-bounds", "local-bounds")))
#define TF_UNSET __attribute__((uninitialized)) // a local array that is read only where it was written
#else
#define TF_NODEBUG
#define TF_TRUSTED
#define TF_UNSET
#endif
#define TF_MEMBER inline __attribute__((always_inline)) TF_NODEBUG TF_TRUSTED
#define TF_INLINE static inline __attribute__((always_inline, unused)) TF_NODEBUG TF_TRUSTED
// A function that follows a kernel's own pointers: their alignment is checked.
#define TF_ACCESS static inline __attribute__((always_inline, unused)) TF_NODEBUG
#define TF_HIDDEN __attribute__((visibility("hidden")))
#define TF_UNCHECKED __attribute__((no_sanitize("kernel-address")))
// In a check image (-DTF_CHECK) of fibers what reads and writes the runtime's own structures is called, and no access in it
// is checked; elsewhere it is inlined.
#if defined(TF_CHECK) && !defined(TF_STEPPED)
#define TF_OUTLINED static __attribute__((noinline, unused)) TF_NODEBUG TF_TRUSTED TF_UNCHECKED
#else
#define TF_OUTLINED TF_INLINE
#endif
// A call keeps the registers in which its caller computes: all of them, and the upper halves that images use; on arm64 those
// that are not for floats.
#if defined(__x86_64__)
#define TF_PRESERVING __attribute__((preserve_all))
#define TF_WHOLE_REGISTERS __attribute__((target("avx"))) // of a definition
#else
#define TF_PRESERVING __attribute__((preserve_most))
#define TF_WHOLE_REGISTERS
#endif
#define TF_UNLIKELY(x) __builtin_expect(!!(x), 0)

static constexpr tf_u32 TF_IMAGE_ABI = 3;
#define TF_STACK_SHIFT 16   // 64 KiB a stack, its lowest page inaccessible
#define TF_REGION_SHIFT 30  // a device's stacks lie in one aligned region, so a stack pointer tells its thread
#define TF_CONTEXT_SHIFT 7  // 128 bytes a thread context, dense at the region's base
#define TF_LANES_MAX 64
#ifndef TF_WARP
#define TF_WARP 32 // lanes of a warp; the toolchain states another one for an image
#endif
#define TF_ARGUMENTS_MAX 64

// A place in a kernel's source: the line in the high 16 bits, the address of the file's name below.
typedef tf_u64 TfSite;
TF_INLINE TfSite tf_site(const char* file, tf_u32 line) {
  return (tf_u64)(line < 0xffff ? line : 0xffff) << 48 | (tf_u64)(tf_address)file;
}
TF_INLINE tf_u32 tf_site_line(TfSite site) { return (tf_u32)(site >> 48); }
TF_INLINE const char* tf_site_file(TfSite site) { return (const char*)(tf_address)(site & 0xffffffffffffull); }

struct TfThread;
struct TfMeeting;
struct TfWarp;
struct TfGroup;
struct TfKernel;

// The registers that a switch keeps; the compiler spills the rest around it.
struct TfContext {
  void *sp, *pc, *fp, *base;
};

// The queue of a device's threads, first in its worker. Its address and that of `arguments` never change.
struct TfSchedule {
  TfThread *ready_head, *ready_tail; // threads that can run, first in, first out
  TfThread* idle;                    // stacks parked in a kernel's body without a thread
  tf_u32 started, total, live;       // threads of the resident groups
  tf_u32 seeded;                     // a schedule is set: queues take the runtime's slow path
  tf_u32 ranked;                     // of warps, the first in rank that can run goes on; `ready` is in the warps
  const tf_u32* order;               // start order of the threads; null: index order
  TfGroup* groups;                   // the resident groups
  tf_u32 group_count, warp_shift;
  const TfKernel* kernel;
  void** arguments;                  // one pointer a parameter, to its value; rewritten at every launch
  tf_u32 launch;                     // serial of the launch, never 0
  tf_u32 wide;                       // groups synchronise with each other: a cluster or cooperative launch
  tf_u32 leaves;                     // 1: barriers stop counting a thread that returns; 0: they wait for it
};

struct TfThread : TfContext {
  TfThread* next; // in the queue it waits in
  TfGroup* group; // null while its stack has no thread
  TfWarp* warp;
  TfSchedule* schedule;
  tf_u32 x, y, z, linear; // index in the group
  tf_u32 lane, slot;
  const TfKernel* kernel; // the kernel whose body this stack is in
  tf_u64 mask;            // of a kernel in steps: the lane mask of the meeting that the thread goes to,
  tf_u32 at, passed;      // the place where it is, and whether it may go on from there
  tf_u64 reserved[2];
};
static_assert(sizeof(TfThread) == 1u << TF_CONTEXT_SHIFT, "a thread context has its own 128 bytes");

// Counted against the threads that have not returned.
struct TfBarrier {
  tf_u32 live, waiting;
  TfSite site;
  TfThread *head, *tail;
};

// A rendezvous of lanes. Values are double buffered by generation: a lane reads what the others left before it can
// arrive again, so one switch a lane is enough.
struct TfMeeting {
  tf_u64 mask, arrived;
  tf_u32 generation, op;
  tf_u32 readers; // lanes released that have not yet run
  tf_u32 reduced; // bit g: result[g] holds the reduction of value[g]
  TfSite site;
  TfThread *head, *tail;
  tf_u64 came[2], result[2];
  alignas(64) tf_u64 value[2][TF_LANES_MAX];
};

// Meetings of a warp: all lanes under one mask, then those of other masks (16: the tiles of two lanes), then those
// without a mask, one for each place at which lanes can wait apart.
enum { TF_MEETING_FULL = 0, TF_MEETING_PARTIAL = 1, TF_MEETING_ACTIVE = 17, TF_MEETINGS = 25 };

// Memory whose accesses barriers order, each for itself: the group's, and that of buffers.
enum TfMemory { TF_MEMORY_LOCAL, TF_MEMORY_DEVICE, TF_MEMORIES };

struct TfWarp {
  TfGroup* group;
  tf_u32 index, waiting; // waiting: lanes in any meeting
  tf_u32 partial_end;    // meetings below this one were used in this group
  tf_u32 left_out_time;  // check images: when a barrier of its lanes last left out memory
  tf_u64 full, live;
  TfThread* ready;             // of a ranked schedule: lanes that can run, released last first
  tf_u32 ordered[TF_MEMORIES]; // check images: what its lanes did there before this time is ordered before what they do now
  TfMeeting meeting[TF_MEETINGS];
};

struct TfGroup {
  tf_u32 x, y, z, rank;                // index in the grid, rank in the cluster
  tf_u32 grid_x, grid_y, grid_z;       // groups
  tf_u32 size_x, size_y, size_z;       // threads
  tf_u32 threads, warp_width, warp_count, cluster_size;
  char* local_top;                     // the end of the group's local memory: variables lie below it
  char* dynamic;                       // dynamic local memory
  TfWarp* warps;
  TfGroup* cluster_first;
  TfBarrier *cluster, *grid;
  TfBarrier barrier;
  tf_u64 linear;
  tf_u32 votes;   // of a voting barrier that is under way; 0 between them
  // Check images: a bit a memory that the barrier which is under way does not order, and when the last one left out any.
  tf_u32 left_out, left_out_time;
  tf_u32 common;  // check images: the tag of a word of local memory that all its threads may read
  tf_u32 ordered[TF_MEMORIES]; // check images: what its threads did there before this time is ordered before what they do now
  char* arena;    // check images: where its local memory begins, and the shadow of it
  void* shadow;
};

// A static variable in local memory, one a template instance. It gets its place at its first use in a launch.
struct TfLocalVariable {
  tf_u32 bytes, align;
  const char *name, *file;
  tf_u32 line;
  tf_u32 launch; // the launch that `offset`, counted down from local_top, belongs to
  tf_u32 offset, reserved;
};

// Check images: a place in the code has memory where its access needs only to begin: at `start`, or a multiple of its
// alignment after it, `room` in all. It is what a launch only reads, or stacks. All are empty when a launch begins.
struct TfRange {
  tf_u64 start, room;
  const void* extent; // of the last access to memory that the launch may write, where `room` is 0
  tf_u64 reserved;
};
static constexpr tf_u32 TF_RANGES = 1024; // places of an image that have one, and the last one for all others

// Judges accesses at neighbouring places of memory, `bytes` in all and `each` of them one, aligned to its own size up to 8; `each`
// is 0 for one of any alignment. `range`: of the place in the code. It keeps every register of its caller.
typedef TF_PRESERVING void (*TfJudge)(const void*, tf_u64 bytes, tf_u64 each, TfRange* range);

// Accesses of one place in the code in turn, each `stride` bytes after the last. A TfJudge's `bytes` and `each` are of one.
struct TfTurns {
  const void* first;
  tf_u64 stride, turns, bytes, each;
  tf_u64 any; // reads of memory that the launch may write too
};
// Whether all are in order: then they are noted; else each is still to be judged. It reports nothing.
typedef TF_PRESERVING tf_u64 (*TfSettle)(const TfTurns*, TfRange* range);

// The runtime's side of what is not inlined. Those marked * do not return.
struct TfRuntime {
  void (*barrier)(TfThread*, TfBarrier*, TfSite);
  void (*leave)(TfThread*);                                      // nothing is ready: start a thread, or give up
  void (*finish)(TfThread*);                                     // a thread ended that others may wait for
  void (*idle)(TfThread*);                                       // no thread is left for this stack
  TfMeeting* (*meeting)(TfThread*, tf_u64 mask, TfSite);         // the meeting of a mask
  void (*meet)(TfThread*, TfMeeting*, tf_u32 op, TfSite);
  TfMeeting* (*meet_active)(TfThread*, tf_u64 value, tf_u32 op, TfSite, tf_u32* buffer);
  char* (*local)(TfThread*, TfLocalVariable*);
  void (*yield)(TfThread*);
  void (*fault)(TfThread*, const char* what, TfSite);            // *
  void (*outside)(TfThread*, long long index, const char* array, TfSite); // *, an index past the end of an array
  // What check images alone call. The return address of the first eight is the access.
  TfJudge load, store, load_half, store_half, load_word, store_word; // of any size, of 2 bytes, of 4
  TfSettle load_turns, store_turns;
  void (*touch)(const void*, tf_u64 bytes, tf_u32 writes, const void* pc);
  void (*atomic_begin)(const void*, tf_u32 bytes, tf_u32 how); // its own accesses, up to the end, are not checked again
  void (*atomic_end)(void);
  void (*fence)(void);                                         // orders accesses before it as other groups see them
  void (*misaligned)(const void*, tf_u32 align, TfSite);       // *
  void (*met)(TfWarp*, tf_u64 lanes, tf_u32 op);
  void (*passed)(TfThread*, const TfBarrier*);
};

// How an atomic function takes its place in memory; TF_ATOMIC_FENCED orders as a fence before it does.
enum { TF_ATOMIC_LOAD, TF_ATOMIC_STORE, TF_ATOMIC_UPDATE, TF_ATOMIC_FENCED = 4 };

// How a kernel takes an argument. TF_PARAMETER_REFERENCE takes bytes or, by its address, a buffer's contents.
enum TfParameterKind {
  TF_PARAMETER_NONE,
  TF_PARAMETER_BUFFER,
  TF_PARAMETER_BYTES,
  TF_PARAMETER_REFERENCE,
  TF_PARAMETER_LOCAL
};
struct TfParameter {
  tf_u32 kind, bytes;
};

// A kernel in steps. Its threads wait at places; the first two are its end and its start. A step takes `count` threads of
// a warp, one after the other, from the place `at` to the next, and returns that, or TF_STEP_APART where they came to
// several, each thread's own in its `at`. `running` holds the thread that may fault; with TF_STEP_TOGETHER added, it and the
// TF_TOGETHER - 1 after it run at once, and have written nothing but their frames when one of them faults. They come from a
// meeting whose lanes `came` with `values`, and leave their own in `deposit`. What a thread needs beyond a place is in `frames`, arrays over
// `capacity` threads, the first of these having the index `first` there and `lane_first` in its warp. The step of
// TF_STEP_FRAME returns the bytes of a thread's frame, that of TF_STEP_PLACES the table of places. From `buffer` on a step
// takes 32 bits; they are 64 here, so that on macOS, which packs what it passes on the stack, each has a slot as elsewhere.
typedef tf_u64 (*TfStep)(
    TfThread* threads, char* frames, void** arguments, TfThread** running, const tf_u64* values, tf_u64* deposit,
    TfMeeting* meeting, tf_u64 came, tf_u64 buffer, tf_u64 at, tf_u64 count, tf_u64 first, tf_u64 lane_first,
    tf_u64 capacity);
enum : tf_u32 { TF_STEP_END, TF_STEP_START, TF_STEP_PLACES = ~1u, TF_STEP_FRAME = ~0u };
static constexpr tf_u64 TF_STEP_APART = ~0ull, TF_STEP_TOGETHER = 1;
static constexpr tf_u32 TF_TOGETHER = 8;
enum TfPlaceKind { // the lowering knows TF_PLACE_MASKED by its number
  TF_PLACE_BARRIER, TF_PLACE_WARP, TF_PLACE_MASKED, TF_PLACE_ACTIVE, TF_PLACE_CLUSTER, TF_PLACE_GRID, TF_PLACE_YIELD
};
struct TfPlace {
  tf_u32 kind, op;
  TfSite site;
};

struct TfKernel {
  const char* name;
  void (*body)(TfThread*, void** arguments); // runs threads until tf_next says that the stack's kernel changed
  void (*whole)(TfThread*, void** arguments); // in place of the body: one thread from start to end, once it is a TfStep
  const TfParameter* parameters;
  tf_u32 parameter_count;
  tf_u32 max_threads; // launch bound, 0 for none
  tf_u32 warp_width;  // lanes
  tf_u32 required[3]; // threads of a group on each side that the source states; 0 for none
  tf_u32 required_warp; // lanes that the source requires; 0 for none
};

enum {
  TF_IMAGE_STRICT_EXIT = 1, // a thread may not return while others wait at a barrier (Metal, OpenCL)
  TF_IMAGE_CHECK = 2        // every access is reported to the runtime
};
#if defined(TF_CHECK)
static constexpr tf_u32 TF_IMAGE_KIND = TF_IMAGE_CHECK;
#else
static constexpr tf_u32 TF_IMAGE_KIND = 0;
#endif

// Of an image whose functions note their calls and may be moved by their documented limits. The seed is the launch's:
// 0 leaves results alone, TF_ULPS_UP and TF_ULPS_DOWN move every one by its whole limit, others draw sign and size.
struct TfUlps {
  tf_u32 seed, reserved;
  tf_u64 used[2]; // a bit a function called in the launch that ran last
};
enum { TF_ULPS_UP = 1, TF_ULPS_DOWN = 2, TF_ULPS_MIXED = 3 };

struct TfImage {
  tf_u32 abi, flags;
  tf_u64 layout;
  const TfKernel* kernels;
  tf_u32 kernel_count, reserved;
  TfRuntime* runtime; // filled at load
  TfUlps* ulps;       // null in other images
  TfRange* ranges;    // of a check image, TF_RANGES
};

TF_INLINE constexpr tf_u64 tf_mix(tf_u64 hash, tf_u64 word) { return (hash ^ word) * 0x100000001b3ull; }
// A hash of everything above that both sides must agree on.
TF_INLINE constexpr tf_u64 tf_layout() {
  const tf_u64 words[] = {
    sizeof(TfSchedule), sizeof(TfThread), sizeof(TfBarrier), sizeof(TfMeeting), sizeof(TfWarp), sizeof(TfGroup),
    sizeof(TfLocalVariable), sizeof(TfRuntime), sizeof(TfParameter), sizeof(TfKernel),
    sizeof(TfUlps), sizeof(TfImage), sizeof(TfRange), TF_RANGES,
    __builtin_offsetof(TfGroup, barrier), __builtin_offsetof(TfWarp, meeting), __builtin_offsetof(TfMeeting, value),
    __builtin_offsetof(TfSchedule, arguments), sizeof(TfPlace),
    TF_STACK_SHIFT, TF_REGION_SHIFT, TF_CONTEXT_SHIFT, TF_MEETING_ACTIVE, TF_MEETINGS };
  tf_u64 hash = 0xcbf29ce484222325ull;
  for (tf_u64 word : words) hash = tf_mix(hash, word);
  return hash;
}

// The thread whose stack this is.
TF_INLINE TfThread* tf_stack_thread() {
  tf_address sp;
#if defined(__x86_64__)
  __asm__("mov %%rsp,%0" : "=r"(sp));
#elif defined(__aarch64__)
  __asm__("mov %0,sp" : "=r"(sp));
#else
#error "the host device knows x86-64 and arm64"
#endif
  tf_address region = sp & ~(((tf_address)1 << TF_REGION_SHIFT) - 1);
  return (TfThread*)(region + ((sp - region) >> TF_STACK_SHIFT << TF_CONTEXT_SHIFT));
}

#if defined(TF_STEPPED)
// A kernel that becomes steps: the thread that runs, where it waits, what it met there, and local memory. The lowering
// replaces them all.
struct TfLocalVariable;
extern "C" {
__attribute__((const, nothrow)) TfThread* tf_current();
__attribute__((nothrow, convergent, nomerge)) tf_u64 tf_suspend(tf_u32 kind, tf_u32 op, tf_u64 mask, tf_u64 value, TfSite);
__attribute__((const, nothrow)) const tf_u64* tf_met_values(tf_u64 token);
__attribute__((const, nothrow)) tf_u64 tf_met_came(tf_u64 token);
__attribute__((const, nothrow)) TfMeeting* tf_met_meeting(tf_u64 token);
__attribute__((const, nothrow)) tf_u32 tf_met_buffer(tf_u64 token);
__attribute__((const, nothrow)) char* tf_local_of(TfLocalVariable*);
}
TF_INLINE TfThread* tf_self() { return tf_current(); }
#else
TF_INLINE TfThread* tf_self() { return tf_stack_thread(); }
#endif

#endif
