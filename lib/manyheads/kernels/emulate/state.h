// What the parts of the runtime share with each other, and the kernel does not see.
#pragma once
#include "runtime.h"

namespace cpu {

// What the launch asks for.
struct Options {
  unsigned order = 0;  // of threads between barriers, and of blocks: 0 up, 1 down, 2 shuffled
  bool races = false, memory = false;
  unsigned long long memory_limit = 0;
};
extern Options options;

// Who touched an element last. `where` is a line with LINE set, or an address within the program.
constexpr unsigned LINE = 1u << 31;
struct Access {
  unsigned epoch = 0;  // counts barriers of all blocks from 1; 0: nobody yet
  unsigned where = 0;
  unsigned thread : 10, atomic : 1, clock : 21;
};
struct Cell {
  Access write, reads[2];
};

// An array that the kernel may touch: an argument, or shared memory.
struct Array {
  const char* name;
  char *begin, *pages, *pages_end;
  size_t bytes;
  unsigned element_bytes;
  bool shared;
  void* key;               // of a shared declaration
  unsigned grain;          // bytes of a cell: an element's, at most 4
  Cell* cells;             // for races; null: not watched
  unsigned char* written;  // for shared memory: a byte for every cell, since the block began
};
extern Array arrays[];
extern int array_count;

// memory.cpp
void reserve_arguments(size_t bytes, int count);
Array* new_array(const char* name, size_t bytes, unsigned element_bytes, bool shared);
void* pages(size_t bytes, const char* what);  // zeroed; ends the program where the limit is
void watch_for_races(Array* array);
void fill_shared();                           // with NaN bits, before every block
void set_dynamic_shared(size_t bytes);
struct Arena {
  char *begin, *next, *end;
};
extern Arena argument_arena, shared_arena;
inline bool in_an_arena(const void* p) {
  return (p >= shared_arena.begin && p < shared_arena.end) || (p >= argument_arena.begin && p < argument_arena.end);
}
Array* array_of(const void* p);               // null: none
Array* nearest_array(const void* p);
void check_surroundings();                    // a store beside an array, seen after the launch

// fibers.cpp
void run_grid(const Slot* slots);
bool in_a_stack_guard(const void* p);
int line_of_last_wait();
extern bool running;                          // the kernel's own code
extern unsigned epoch, first_epoch_of_block;  // of barriers: see races.cpp
extern unsigned current_thread;               // within its block

// races.cpp
void start_clocks();
void join_clocks(unsigned warp, unsigned lanes);                  // these lanes have met at a __syncwarp
void check_access(const void* p, size_t bytes, bool store, bool atomic, unsigned where);

// findings.cpp
void catch_signals(double seconds);
extern char* program_begin;
// As addr2line wants it: within the program, and inside the call instead of behind it.
inline unsigned where_of(const void* return_address) {
  return (unsigned)((char*)return_address - program_begin - 1) & ~LINE;
}
[[noreturn]] void report(const char* format, ...);  // lines of "field=value", then the end of the program
[[noreturn]] void report_bounds(const void* p, size_t bytes, int store, unsigned where);
void write_result(const void* data, size_t bytes);
void take_standard_output();

}  // namespace cpu
