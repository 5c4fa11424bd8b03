// Reads one launch from standard input, runs it, and writes the buffers, or what is wrong, to standard output.
// protocol.py writes and reads the other end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

#include "state.h"

using namespace cpu;

static void read_all(void* to, size_t bytes) {
  char* next = (char*)to;
  while (bytes > 0) {
    const ssize_t got = read(0, next, bytes);
    if (got <= 0) _exit(4);
    next += got, bytes -= got;
  }
}
template <class T> static T read_one() {
  T value;
  read_all(&value, sizeof value);
  return value;
}

// Before the kernel's own globals are made. A real sandbox is somebody else's: this keeps accidents small.
__attribute__((constructor(101))) static void set_limits() {
  const char* given = getenv("CUDA_CPU_LIMITS");  // bytes of memory, seconds, bytes of a file
  unsigned long long memory = 0, seconds = 0, file = 0;
  if (!given || sscanf(given, "%llu,%llu,%llu", &memory, &seconds, &file) != 3) return;
  options.memory_limit = memory;
  const auto limit = [](int what, unsigned long long most) {
    const rlimit both = {(rlim_t)most, (rlim_t)most};
    setrlimit(what, &both);
  };
  limit(RLIMIT_AS, memory + (512ull << 20));  // the stacks of 1024 threads, and gaps between arrays, are not its fault
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_FSIZE, file);
  limit(RLIMIT_NOFILE, 16);
  limit(RLIMIT_CORE, 0);
#ifdef __linux__
  unsigned long long used = 0;
  if (FILE* f = fopen("/proc/self/statm", "r")) {
    if (fscanf(f, "%llu", &used) == 1 && used * sysconf(_SC_PAGESIZE) > memory + (64ull << 20))
      report("kind=too much memory\nwhat=global\nbytes=%llu\n", used * sysconf(_SC_PAGESIZE));
    fclose(f);
  }
#endif
}

struct Given {
  unsigned char role;  // 0 an array, 1 a buffer to be filled, 2 a whole number, 3 a number, 4 nothing
  char kind;           // of the elements: f, i, u, b
  unsigned bytes_each;
  char name[256];
  unsigned long long bytes;
  Slot slot;
  Array* array;
};

static void check_parameters(const Given* given, int count) {
  const Kernel k = kernel();
  if (count != k.parameter_count) report("kind=wrong parameters\nwhy=count\nhas=%d\n", k.parameter_count);
  for (int i = 0; i < count; ++i) {
    const Parameter& p = k.parameters[i];
    const Given& g = given[i];
    const bool array = g.role < 2 || g.role == 4;
    const char* why = p.kind == '?'                ? "type"
                      : array && !p.pointer        ? "wants number"
                      : !array && p.pointer        ? "wants array"
                      : g.role == 1 && p.constant  ? "constant"
                      : array && g.role != 4 && p.kind != '*' && (p.kind != g.kind || p.bytes != (int)g.bytes_each)
                          ? "element"
                          : nullptr;
    if (why)
      report("kind=wrong parameters\nwhy=%s\nposition=%d\nwants=%c%d\n", why, i, p.kind, p.bytes);
  }
}

int main() {
  take_standard_output();
  options.order = read_one<unsigned>();
  const unsigned check = read_one<unsigned>();
  options.races = check & 1, options.memory = check & 2;
  const double seconds = read_one<double>();
  for (dim3* size : {&grid_size, &block_size}) {
    size->x = read_one<unsigned>();
    size->y = read_one<unsigned>();
    size->z = read_one<unsigned>();
  }
  set_dynamic_shared(read_one<unsigned long long>());
  const size_t bytes_of_all = read_one<unsigned long long>();
  const int count = (int)read_one<unsigned>();
  catch_signals(seconds);
  if (bytes_of_all > options.memory_limit)
    report("kind=too much memory\nwhat=its arrays\nbytes=%zu\n", bytes_of_all);
  reserve_arguments(bytes_of_all, count);

  Given* given = (Given*)pages(count * sizeof(Given), "the list of arguments");
  Slot* slots = (Slot*)pages(count * sizeof(Slot), "the list of arguments");
  for (int i = 0; i < count; ++i) {
    Given& g = given[i];
    g.role = read_one<unsigned char>();
    g.kind = read_one<char>();
    g.bytes_each = read_one<unsigned char>();
    read_all(g.name, read_one<unsigned char>());
    g.bytes = read_one<unsigned long long>();
    if (g.role < 2) {
      g.array = new_array(g.name, g.bytes, g.bytes_each, false);
      read_all(g.array->begin, g.bytes);
      slots[i].array = g.array->begin;
    } else if (g.role < 4) {
      read_all(&slots[i], 8);
      // A parameter converts from what the launch has: 3 for a float, 2.0 for an int.
      const bool real = i < kernel().parameter_count && kernel().parameters[i].kind == 'f';
      if (g.role == 2 && real) slots[i].real = (double)slots[i].whole;
      if (g.role == 3 && !real) slots[i].whole = (long long)slots[i].real;
    } else {
      slots[i].array = nullptr;
    }
  }
  check_parameters(given, count);
  if (options.races)
    for (int i = 0; i < count; ++i)
      if (given[i].array && !kernel().parameters[i].constant) watch_for_races(given[i].array);
  run_grid(slots);
  check_surroundings();
  fflush(stdout);
  write_result("K", 1);
  for (int i = 0; i < count; ++i)
    if (given[i].role == 1) write_result(given[i].array->begin, given[i].bytes);
  _exit(0);
}
