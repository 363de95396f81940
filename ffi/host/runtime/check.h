// What check images tell of: every access, against a shadow of local memory and of the buffers that a launch may write.
// A word of memory has a cell: who wrote it last, and two of those who have read it since, each with the time and the
// place in the code. Time counts what orders threads (barriers, meetings, fences) and the starts of groups and launches,
// through the device's life, so a cell of an earlier launch is stale by its time and nothing is ever cleared.
#pragma once
#include "device.h"

namespace tf {

constexpr tf_u32 THREAD_BITS = 10;                    // of Touch::who: the thread in its group
constexpr tf_u32 CHECKED_GROUPS = 1u << 21;           // in a launch of a check image
constexpr tf_u32 CLOCK_GROUPS = 4096;                 // whose order by fences and atomics is kept
constexpr tf_u32 CLOCK_PLACES = 4096;                 // atomic places that order groups, a power of two
constexpr tf_u64 CLOCK_BYTES = 256ull << 20;          // of vectors, one a group and one a place
constexpr tf_u64 SHADOW_MAX = 4ull << 30;             // bytes of shadow of a launch's buffers
constexpr tf_u32 TIME_END = 0xf0000000u;              // past it, at the next launch, time and shadow begin anew
constexpr tf_u32 PLACES_MAX = VARIABLES_MAX + TF_ARGUMENTS_MAX + 1;
static_assert(THREADS_MAX <= 1u << THREAD_BITS, "a thread's index fits its bits");

struct Touch {
  tf_u32 who;   // group * 1024 + thread
  tf_u32 time;  // 0: never
  tf_u32 place; // of the access's return address, from the image's base
};

// Of a word, or of half a word once an access took less. Masks have a bit a byte of a half.
struct Cell {
  Touch written;
  tf_u32 flags;
};
// Apart, since most writes find that nobody has read: `other` is a second reader, of another warp than `read` where there is one.
struct Readers {
  Touch read, other;
};
enum {
  CELL_WRITTEN = 1,      // 2 bits: bytes of `written`
  CELL_READ = 1 << 2,    // 2 bits: bytes of `read` and `other`
  CELL_SET = 1 << 4,     // 2 bits: bytes that hold something
  CELL_ATOMIC = 1 << 6,  // `written` was atomic
  CELL_SPLIT = 1 << 7,   // the upper half of the word has a cell of its own
  CELL_BYTES = 3,
  // Of a whole word that all who ask may read.
  CELL_KNOWN = CELL_BYTES * (CELL_WRITTEN | CELL_READ | CELL_SET)
};
// Each word in local memory has a tag. Written before the last barrier of its group, and since read in two of its warps, it is
// TfGroup::common: another read of the group, until the next barrier or write, changes nothing. Read by two lanes of one warp and
// no other it is that warp's: another read of the warp is only noted as the last. Any other access takes the tag away, so one of
// before the last barrier says that nobody has been there since. Tags are a time and in 8 bits whose they are.
enum : tf_u32 { TAG_NONE = 0, TAG_NEVER = 1, TAG_COMMON = 2, TAG_WARP = 128 };
constexpr tf_u32 TAG_TIME_BITS = 24;
static_assert(THREADS_MAX / 8 <= TAG_WARP, "a warp has 8 lanes at least");
// The shadow of some words, in blocks: cells, that of each word and that of its upper half beside it, then the readers of
// either. What a byte of shadow holds depends on its place alone, so that nothing old is taken for something else.
struct Shadow {
  Cell* cells; // null: not written, so that only bounds are checked

  static constexpr tf_u64 BLOCK_WORDS = 128;
  // With a line of the cache that is left out: rows of a power of two of words would all be in one set.
  static constexpr tf_u64 BLOCK_BYTES = 2 * BLOCK_WORDS * (sizeof(Cell) + sizeof(Readers)) + 64;
  static constexpr tf_u64 bytes_of(tf_u64 words) { return (words + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_BYTES; }

  Cell* block(tf_u64 word) const { return (Cell*)((char*)cells + word / BLOCK_WORDS * BLOCK_BYTES); }
  Cell* cell(tf_u64 word, bool upper) const { return block(word) + 2 * (word % BLOCK_WORDS) + upper; }
  Readers* readers(tf_u64 word, bool upper) const {
    return (Readers*)(block(word) + 2 * BLOCK_WORDS) + 2 * (word % BLOCK_WORDS) + upper;
  }
  // Gives the upper half of a word that is not split a cell of its own.
  void split(tf_u64 word) const {
    Cell* lower = cell(word, false);
    *cell(word, true) = *lower;
    if (lower->flags & CELL_BYTES * CELL_READ) *readers(word, true) = *readers(word, false);
    lower->flags |= CELL_SPLIT;
  }
};

// What a few words of a buffer have in place of cells: one thread wrote all of them in a row (FOLDED), or from the first on thread
// after thread wrote the next element, at one time and place (`written` is of the first thread).
struct Fold {
  static constexpr tf_u64 BYTES = 16, WORDS = BYTES / 4;
  Touch written;
  tf_u32 state; // FOLDED, threads_of(..), or the launch in which its words' cells were last looked at

  static constexpr tf_u32 FOLDED = ~0u, THREADS = 0xffff0000u;
  static constexpr tf_u32 threads_of(tf_u32 bytes, tf_u32 count) { return THREADS | bytes << 8 | count; } // of an element
  bool holds(tf_u32 launch_time) const { return state >= THREADS && written.time >= launch_time; }
};
static_assert(TIME_END < Fold::THREADS, "no launch has its time");

// Memory with one name: a buffer's extent, or a variable or argument in local memory.
struct alignas(64) Extent {
  char *start, *end;
  const char* name;
  const char* file; // of a variable's declaration; null: an argument, `line` is its index
  tf_u32 line, access;
  Shadow shadow;
  Fold* folds; // of a buffer with a shadow, from its first word

  // Before the cells of these bytes from the first word are looked at in a launch. One that nothing of the launch wrote holds as
  // little as the cells.
  inline __attribute__((always_inline)) void unfold(tf_u64 from, tf_u64 bytes, tf_u32 launch_time) const {
    for (tf_u64 i = from / Fold::BYTES; i <= (from + bytes - 1) / Fold::BYTES; i++)
      if (folds[i].state != launch_time) unfold_one(i, launch_time);
  }
  inline void unfold_one(tf_u64 i, tf_u32 launch_time) const {
    Fold& fold = folds[i];
    const tf_u32 state = fold.holds(launch_time) ? fold.state : 0, bytes = state == Fold::FOLDED ? 4 : state >> 8 & 255;
    const tf_u32 count = state == Fold::FOLDED ? Fold::WORDS : state & 255;
    fold.state = launch_time;
    for (tf_u32 k = 0; state && k < count; k++) {
      Touch touch = fold.written;
      if (state != Fold::FOLDED) touch.who += k;
      const tf_u64 word = i * Fold::WORDS + k * bytes / 4;
      *shadow.cell(word, bytes == 2 && (k & 1)) = { touch, CELL_BYTES * (CELL_WRITTEN | CELL_SET) };
      if (bytes == 2) shadow.cell(word, false)->flags |= CELL_SPLIT;
    }
  }
};

// What is at fault, for the report.
struct Offence {
  TfThread* thread;
  const char* at;
  tf_u64 bytes;
  bool writes;
  const void* pc;
};

// A write over an unordered one. It is a race unless it leaves what lies there, which shows once it is done.
struct Overwrite {
  bool pending;
  Offence offence;
  TfThread thread; // as it was
  Touch earlier;
  tf_u8 before[64];
};

struct Span {
  tf_u32 from, end;
};

// Memory that is no kernel's: stacks, the image's constants and variables, and the runtime's structures that inlined code
// reads.
struct Own {
  const char* start;
  tf_u64 bytes;
};
constexpr tf_u32 OWN_PLACES = 8;

struct Clocks; // order between groups, clocks.cpp

// A switch of threads that the last access asks for, by the memory it was to.
enum Due : tf_u8 { DUE_NONE, DUE_LOCAL, DUE_DEVICE };

struct Check {
  bool attention;   // an access may not take the short way: switches, an atomic access or an overwrite is under way
  char* space;      // the device's addresses
  tf_u8* pages;     // of them: the extent there, or the first of several
  Own own[OWN_PLACES];
  const char* base; // of the image
  tf_u32 flags;     // of the launch
  bool switches;    // preemption or lockstep
  Due due;
  bool partial;     // some lanes of a warp have met without the others
  const Module* module;
  TfRange* ranges_end; // past the last of the image's that is not empty
  tf_u32 time, launch_time, resident_time, grid_time;
  tf_u32 common_era;   // the time above the bits that tags have
  Extent extents[EXTENTS_MAX + 1]; // the first is of no address
  tf_u32 extent_count;             // the last one's index
  char* shadow;
  tf_u64 shadow_bytes;
  char* folds;
  tf_u64 folds_bytes;
  char* local;      // shadow of the arenas
  tf_u32 local_groups;
  Extent places[PLACES_MAX + 1]; // in local memory, by their addresses in the first resident group; the first is none
  Span spans[PLACES_MAX + 1];    // the same, from the arena's start
  tf_u32 place_count;
  tf_u8 place_at[LOCAL_MAX / 16]; // the place that holds these 16 bytes; 0: none
  tf_u32* cluster_time; // a cluster
  tf_u32* known;        // a resident warp, a memory, a lane, another lane: what that one did there before this time is ordered before
  tf_u32 known_warps;
  const TfThread* atomic_thread; // is in an atomic access to these bytes
  const char *atomic_start, *atomic_end;
  Overwrite overwrite;
  bool unset;           // a byte was read that nobody had written; told at the end, unless its writer only came late
  char unset_text[1024];
  Clocks* clocks;
};

// check.cpp
bool check_begin(Device* d, const Queued* q); // false: no memory
void check_end(Device* d);
void check_resident(Device* d);               // the resident groups begin
void check_left(Device* d);                   // they have returned
void check_barrier(Device* d, const TfBarrier*);
void check_meeting(Device* d, TfWarp*, tf_u64 lanes, tf_u32 op);
void check_place(Device* d, const char* start, tf_u64 bytes, const char* name, const char* file, tf_u32 line);
void check_close(Device* d);
// Whether it is ordered before what `me` does now in the same memory.
bool check_before(Check*, const TfThread*, tf_u32 me, const Touch&, TfMemory);
void check_met(TfWarp*, tf_u64 lanes, tf_u32 op); // from the image
void check_passed(TfThread*, const TfBarrier*);
// clocks.cpp
void clocks_begin(Check*);
void clocks_fence(Check*, tf_u32 group, tf_u32 groups);
void clocks_atomic(Check*, const void* place, tf_u32 group);
bool clocks_before(const Check*, tf_u32 group, tf_u32 time, tf_u32 observer);
void clocks_close(Check*);
// short.cpp
#define TF_JUDGE(name) TF_PRESERVING TF_WHOLE_REGISTERS void name(const void* at, tf_u64 bytes, tf_u64 each, [[maybe_unused]] TfRange* range)
TF_JUDGE(access_load);
TF_JUDGE(access_store);
TF_JUDGE(access_load_half); // of 2 bytes
TF_JUDGE(access_store_half);
TF_JUDGE(access_load_word); // of 4
TF_JUDGE(access_store_word);
#define TF_SETTLE(name) TF_PRESERVING TF_WHOLE_REGISTERS tf_u64 name(const TfTurns* all, [[maybe_unused]] TfRange* range)
TF_SETTLE(turns_load); // of a loop
TF_SETTLE(turns_store);
// access.cpp
void access_any(const char* at, tf_u64 bytes, const void* pc, bool writes);
void access_touch(const void*, tf_u64 bytes, tf_u32 writes, const void* pc);
void access_atomic_begin(const void*, tf_u32 bytes, tf_u32 how);
void access_atomic_end(void);
void access_fence(void);
bool overwrite_races(Check*); // settles the write that is pending
[[noreturn]] void access_misaligned(const void*, tf_u32 align, TfSite);
// check_report.cpp
[[noreturn]] void stop_race(const Offence&, const Touch& earlier, bool wrote);
void report_race(const Offence&, const Touch& earlier, bool wrote);
void note_unset(const Offence&);
void report_unset(Device* d); // the first of them, if any, is the launch's failure
[[noreturn]] void stop_bounds(const Offence&);
[[noreturn]] void stop_input(const Offence&);
[[noreturn]] void stop_misaligned(const Offence&, tf_u32 align, TfSite);

constexpr tf_u64 LOCAL_CELLS = Shadow::bytes_of(LOCAL_MAX / 4); // of shadow, then the tags
constexpr tf_u64 LOCAL_SHADOW = LOCAL_CELLS + LOCAL_MAX / 4 * sizeof(tf_u32);
inline tf_u32* tags_of(const TfGroup* g) { return (tf_u32*)((char*)g->shadow + LOCAL_CELLS); }

inline tf_u32 who_is(const TfThread* t) { return (tf_u32)t->group->linear << THREAD_BITS | t->linear; }
inline tf_u32 place_of(const Check* c, const void* pc) { return (tf_u32)((const char*)pc - c->base); }
inline tf_u32 group_of(tf_u32 who) { return who >> THREAD_BITS; }
inline tf_u32 thread_of(tf_u32 who) { return who & ((1u << THREAD_BITS) - 1); }

} // namespace tf
