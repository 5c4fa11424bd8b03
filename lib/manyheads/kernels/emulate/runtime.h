// What the kernel's side and the runtime's side say to each other.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace cpu {

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern dim3 thread_index, block_index, block_size, grid_size;  // of the fiber that runs

// fibers.cpp
int barrier(int yes, int line);                   // waits for the whole block; how many said yes
void exchange(unsigned mask, void* value, size_t bytes, int from_lane, bool orders_memory, int line);
unsigned vote(unsigned mask, bool yes, int line);  // the lanes that said yes
unsigned active_lanes();

// memory.cpp
// A declaration of shared memory comes here; every thread that passes it gets the same address, in every block.
void* shared_array(void* key, const char* name, size_t bytes, size_t element_bytes, int line);
void* dynamic_shared(const char* name, size_t element_bytes, int line);
void* heap(size_t bytes, int line);               // malloc

// races.cpp
void atomic(const void* address, size_t bytes, int line);
void fence();

// findings.cpp
[[noreturn]] void give_up(const char* why, int line);

// What the build appends to the kernel.
struct Parameter {
  bool pointer = false, constant = false;
  char kind = 0;  // f, i, u, b as NumPy calls them; * for void; ? for anything else
  int bytes = 0;
};
union Slot {
  void* array;
  long long whole;
  double real;
};
struct Kernel {
  int parameter_count;
  const Parameter* parameters;
  void (*call)(const Slot* slots);
};
Kernel kernel();

}  // namespace cpu
