// The threads of a block as fibers: each runs until a barrier or its end, then the next one, in the order asked for.
#ifdef __APPLE__
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#endif
#undef _FORTIFY_SOURCE  // its longjmp takes a jump to another stack for a mistake
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "state.h"

namespace cpu {

constexpr unsigned MOST_THREADS = 1024;
constexpr size_t STACK = 256 << 10, GUARD = 16 << 10;  // bytes

enum State : unsigned char { READY, AT_BARRIER, AT_WARP, DONE };

struct Fiber {
  State state = DONE;
  bool started = false;
  jmp_buf here;
  int line = 0, yes = 0;  // where it waits, and what it says there
  // at a warp operation:
  unsigned mask = 0, answer = 0;
  void* value = nullptr;
  size_t bytes = 0;
  int from_lane = 0;
  bool orders_memory = false;
};

dim3 thread_index, block_index, block_size, grid_size;
bool running;
unsigned epoch = 1, first_epoch_of_block = 1;

static Fiber fibers[MOST_THREADS];
unsigned current_thread;
static unsigned threads, order[MOST_THREADS];
static char* stacks;
static jmp_buf scheduler;
static const Slot* arguments;

bool in_a_stack_guard(const void* p) {
  const size_t offset = (const char*)p - stacks;
  return stacks && offset < MOST_THREADS * (STACK + GUARD) && offset % (STACK + GUARD) < GUARD;
}

int line_of_last_wait() { return fibers[current_thread].line; }

static void wait(State state) {
  fibers[current_thread].state = state;
  if (_setjmp(fibers[current_thread].here) == 0) _longjmp(scheduler, 1);
}

static void live() {
  for (;;) {  // a fiber is used again in the next block
    kernel().call(arguments);
    wait(DONE);
  }
}

static void resume(unsigned thread) {
  current_thread = thread;
  thread_index = dim3(thread % block_size.x, thread / block_size.x % block_size.y,
                      thread / (block_size.x * block_size.y));
  if (_setjmp(scheduler) != 0) {
    running = false;
    return;
  }
  running = true;
  Fiber& fiber = fibers[thread];
  if (fiber.started) _longjmp(fiber.here, 1);
  fiber.started = true;
  static ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stacks + thread * (STACK + GUARD) + GUARD;
  context.uc_stack.ss_size = STACK;
  context.uc_link = nullptr;
  makecontext(&context, live, 0);
  setcontext(&context);
}

int barrier(int yes, int line) {
  Fiber& me = fibers[current_thread];
  me.yes = yes, me.line = line;
  wait(AT_BARRIER);
  return fibers[current_thread].yes;
}

static void at_warp(unsigned mask, int line) {
  Fiber& me = fibers[current_thread];
  if (!(mask >> (current_thread % 32) & 1))
    report("kind=divergent barrier\nwhy=mask\nmask=%u\nlane=%u\nwhere=%u\n", mask, current_thread % 32, LINE | line);
  me.mask = mask, me.line = line;
  wait(AT_WARP);
}
void exchange(unsigned mask, void* value, size_t bytes, int from_lane, bool orders_memory, int line) {
  Fiber& me = fibers[current_thread];
  me.value = value, me.bytes = bytes, me.from_lane = from_lane, me.orders_memory = orders_memory;
  at_warp(mask, line);
}
unsigned vote(unsigned mask, bool yes, int line) {
  Fiber& me = fibers[current_thread];
  me.value = nullptr, me.bytes = 0, me.yes = yes, me.orders_memory = false;
  at_warp(mask, line);
  return fibers[current_thread].answer;
}
unsigned active_lanes() { return 1u << (current_thread % 32); }  // nobody may count on more

// All lanes of a mask are there (those that have returned are excused): hand the values over.
static void finish_warp(unsigned first, unsigned lanes) {
  char values[32][64];
  unsigned said_yes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const Fiber& fiber = fibers[first + lane];
    if (fiber.value && fiber.bytes <= sizeof values[0]) memcpy(values[lane], fiber.value, fiber.bytes);
    if (!fiber.value && fiber.yes) said_yes |= 1u << lane;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    Fiber& fiber = fibers[first + lane];
    const unsigned from = fiber.from_lane & 31;
    if (fiber.value && lanes >> from & 1) memcpy(fiber.value, values[from], fiber.bytes);
    else if (fiber.value) memset(fiber.value, 0xFF, fiber.bytes);  // from a lane that is not there
    fiber.answer = said_yes;
    fiber.state = READY;
  }
  if (fibers[first + __builtin_ctz(lanes)].orders_memory) join_clocks(first / 32, lanes);
}

static bool release_warps() {
  bool released = false;
  for (unsigned t = 0; t < threads; ++t) {
    if (fibers[t].state != AT_WARP) continue;
    const unsigned first = t / 32 * 32, mask = fibers[t].mask;
    unsigned lanes = 0;
    bool complete = true;
    for (unsigned lane = 0; lane < 32 && first + lane < threads; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const Fiber& other = fibers[first + lane];
      if (other.state == AT_WARP && other.mask == mask) lanes |= 1u << lane;
      else if (other.state != DONE) complete = false;
    }
    if (complete) finish_warp(first, lanes), released = true;
  }
  return released;
}

[[noreturn]] static void report_divergence() {
  const Fiber* waits = nullptr;
  const Fiber* elsewhere = nullptr;
  unsigned here = 0, done = 0;
  for (unsigned t = 0; t < threads; ++t) {  // who waits at the earlier line
    const Fiber& fiber = fibers[t];
    if (fiber.state == DONE) ++done;
    else if (!waits || fiber.line < waits->line) waits = &fiber;
  }
  for (unsigned t = 0; t < threads; ++t) {
    const Fiber& fiber = fibers[t];
    if (fiber.state == DONE) continue;
    if (fiber.line == waits->line) ++here;
    else if (!elsewhere || fiber.line < elsewhere->line) elsewhere = &fiber;
  }
  report("kind=divergent barrier\nwarp=%d\nwaiting=%u\nthreads=%u\nreturned=%u\nelsewhere=%d\nwhere=%u\n",
         waits->state == AT_WARP, here, threads, done, elsewhere ? elsewhere->line : 0, LINE | waits->line);
}

static void release_barrier() {
  int yes = 0;
  for (unsigned t = 0; t < threads; ++t) {
    if (fibers[t].state != AT_BARRIER || fibers[t].line != fibers[0].line) report_divergence();
    yes += fibers[t].yes;
  }
  for (unsigned t = 0; t < threads; ++t) fibers[t].yes = yes, fibers[t].state = READY;
  ++epoch;
}

static unsigned random_below(unsigned n) {
  static unsigned long long state = 0x9E3779B97F4A7C15ull;  // always the same: a launch can be repeated
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}
static void put_in_order(unsigned* list, unsigned n) {
  for (unsigned i = 0; i < n; ++i) list[i] = options.order == 1 ? n - 1 - i : i;
  if (options.order != 2) return;
  for (unsigned i = n; i > 1; --i) {
    const unsigned j = random_below(i), kept = list[i - 1];
    list[i - 1] = list[j], list[j] = kept;
  }
}

static void run_block() {
  first_epoch_of_block = ++epoch;
  fill_shared();
  for (unsigned t = 0; t < threads; ++t) fibers[t].state = READY;
  put_in_order(order, threads);
  for (;;) {
    bool ran = false;
    for (unsigned i = 0; i < threads; ++i)
      if (fibers[order[i]].state == READY) resume(order[i]), ran = true;
    if (ran) {
      if (options.order == 2) put_in_order(order, threads);
      continue;
    }
    unsigned done = 0;
    for (unsigned t = 0; t < threads; ++t) done += fibers[t].state == DONE;
    if (done == threads) return;
    if (!release_warps()) release_barrier();
  }
}

void run_grid(const Slot* slots) {
  arguments = slots;
  threads = block_size.x * block_size.y * block_size.z;
  stacks = (char*)pages(MOST_THREADS * (STACK + GUARD), "the threads' stacks");
  for (unsigned t = 0; t < threads; ++t) mprotect(stacks + t * (STACK + GUARD), GUARD, PROT_NONE);
  const unsigned blocks = grid_size.x * grid_size.y * grid_size.z;
  unsigned* block_order = (unsigned*)pages(blocks * sizeof(unsigned), "the list of blocks");
  put_in_order(block_order, blocks);
  start_clocks();
  for (unsigned i = 0; i < blocks; ++i) {
    const unsigned b = block_order[i];
    block_index = dim3(b % grid_size.x, b / grid_size.x % grid_size.y, b / (grid_size.x * grid_size.y));
    run_block();
  }
}

}  // namespace cpu
