// What a kernel built with -fsanitize=thread calls at every load and store. The compiler's own runtime is not linked:
// these functions look for races, for accesses out of bounds, and for shared memory that nobody has written.
//
// Two accesses to one element race if different threads make them, one of them stores, not both are atomic, and nothing
// orders them. What orders two threads of a block is a __syncthreads between them (an epoch ends), and within a warp a
// __syncwarp (their clocks meet). Nothing orders two blocks, unless the kernel calls __threadfence: then we keep quiet.
#include <string.h>

#include "state.h"

namespace cpu {

static unsigned clocks[1024][32];  // of a thread: how far each lane of its warp had come when they last met
static bool fenced;

void fence() { fenced = true; }

void start_clocks() {  // they are never set back: what was before a __syncthreads has another epoch
  for (unsigned t = 0; t < 1024; ++t) clocks[t][t % 32] = 1;
}

void join_clocks(unsigned warp, unsigned lanes) {
  if (!options.races) return;
  unsigned newest[32] = {};
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned of = 0; of < 32 && lanes >> lane & 1; ++of)
      if (clocks[warp * 32 + lane][of] > newest[of]) newest[of] = clocks[warp * 32 + lane][of];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    memcpy(clocks[warp * 32 + lane], newest, sizeof newest);
    ++clocks[warp * 32 + lane][lane];
  }
}

static bool ordered(const Access& before, unsigned me, bool shared) {
  if (before.epoch == epoch) {
    if (before.thread == me) return true;
    return before.thread / 32 == me / 32 && before.clock <= clocks[me][before.thread % 32];
  }
  if (before.epoch == 0 || before.epoch >= first_epoch_of_block) return true;
  return shared || fenced;  // another block: it has shared memory of its own
}

[[noreturn]] static void report_race(const Array& a, size_t cell, const Access& before, bool was_store, unsigned me,
                                     bool store, unsigned where) {
  report("kind=data race\nname=%s\nshared=%d\nelement=%zu\nstores=%d,%d\nthreads=%u,%u\nblocks=%d\nwhere=%u,%u\n",
         a.name, a.shared, cell * a.grain / a.element_bytes, was_store, store, (unsigned)before.thread, me,
         before.epoch < first_epoch_of_block, before.where, where);
}

static void check_races(Array& a, size_t cell, bool store, bool atomic, unsigned where) {
  const unsigned me = current_thread;
  Cell& c = a.cells[cell];
  if (!ordered(c.write, me, a.shared) && !(atomic && c.write.atomic))
    report_race(a, cell, c.write, true, me, store, where);
  Access now;
  now.epoch = epoch, now.where = where, now.thread = me, now.atomic = atomic, now.clock = clocks[me][me % 32];
  if (!store) {
    // Two readers are kept, of different threads: whoever stores is not both.
    const int i = ordered(c.reads[0], me, a.shared) ? 0 : 1;
    c.reads[i] = now;
    return;
  }
  for (const Access& read : c.reads)
    if (!ordered(read, me, a.shared) && !(atomic && read.atomic))
      report_race(a, cell, read, false, me, true, where);
  c.write = now;
}

void check_access(const void* p, size_t bytes, bool store, bool atomic, unsigned where) {
  if (!in_an_arena(p) || !running) return;
  Array* a = array_of(p);
  if (!a || (char*)p + bytes > a->begin + a->bytes) report_bounds(p, bytes, store, where);
  const size_t first = ((char*)p - a->begin) / a->grain, last = ((char*)p + bytes - 1 - a->begin) / a->grain;
  for (size_t cell = first; cell <= last; ++cell) {
    if (a->written) {
      if (store) a->written[cell] = 1;
      if ((!store || atomic) && !a->written[cell])
        report("kind=uninitialised shared memory\nname=%s\nelement=%zu\nthreads=%u\nwhere=%u\n", a->name,
               cell * a->grain / a->element_bytes, current_thread, where);
    }
    if (a->cells) check_races(*a, cell, store, atomic, where);
  }
}

void atomic(const void* address, size_t bytes, int line) {
  if (!options.races && !options.memory) return;
  check_access(address, bytes, false, true, LINE | line);
  check_access(address, bytes, true, true, LINE | line);
}

}  // namespace cpu

#define WHERE cpu::where_of(__builtin_return_address(0))
#define HOOKS(size)                                                                                          \
  void __tsan_read##size(void* p) { cpu::check_access(p, size, false, false, WHERE); }                       \
  void __tsan_write##size(void* p) { cpu::check_access(p, size, true, false, WHERE); }                       \
  void __tsan_unaligned_read##size(void* p) { cpu::check_access(p, size, false, false, WHERE); }             \
  void __tsan_unaligned_write##size(void* p) { cpu::check_access(p, size, true, false, WHERE); }             \
  void __tsan_volatile_read##size(void* p) { cpu::check_access(p, size, false, false, WHERE); }              \
  void __tsan_volatile_write##size(void* p) { cpu::check_access(p, size, true, false, WHERE); }
extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void* p, size_t bytes) { cpu::check_access(p, bytes, false, false, WHERE); }
void __tsan_write_range(void* p, size_t bytes) { cpu::check_access(p, bytes, true, false, WHERE); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}

// Copies of a struct. Some compilers call these names, some the C library's, which the linker turns into __wrap_.
// memmove is never turned, so it can do the work.
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  if (bytes) cpu::check_access(from, bytes, false, false, WHERE), cpu::check_access(to, bytes, true, false, WHERE);
  return memmove(to, from, bytes);
}
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  if (bytes) cpu::check_access(from, bytes, false, false, WHERE), cpu::check_access(to, bytes, true, false, WHERE);
  return memmove(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  if (bytes) cpu::check_access(from, bytes, false, false, WHERE), cpu::check_access(to, bytes, true, false, WHERE);
  return memmove(to, from, bytes);
}
static void* set(void* to, int byte, size_t bytes) {
  volatile char* next = (volatile char*)to;  // volatile: or the compiler makes a memset of it
  for (; bytes > 0 && (size_t)next % 8; --bytes) *next++ = (char)byte;
  const unsigned long long eight = 0x0101010101010101ull * (unsigned char)byte;
  for (; bytes >= 8; bytes -= 8, next += 8) *(volatile unsigned long long*)next = eight;
  for (; bytes > 0; --bytes) *next++ = (char)byte;
  return to;
}
void* __tsan_memset(void* to, int byte, size_t bytes) {
  if (bytes) cpu::check_access(to, bytes, true, false, WHERE);
  return set(to, byte, bytes);
}
void* __wrap_memset(void* to, int byte, size_t bytes) {
  if (bytes) cpu::check_access(to, bytes, true, false, WHERE);
  return set(to, byte, bytes);
}
}
