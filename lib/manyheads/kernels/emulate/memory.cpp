// Where arrays lie: each on pages of its own with nothing around them, its end at the end of its last page, so that the
// first access beyond it is a fault even where nothing is watched.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

namespace cpu {

// Bytes. Gaps are never touched, so they cost nothing.
constexpr size_t GAP = 4 << 20, SHARED_GAP = 256 << 10, SHARED_ARENA = 64 << 20;
constexpr size_t STATIC_SHARED_LIMIT = 48 << 10;                                  // bytes that a block may declare
constexpr int MOST_ARRAYS = 256;

Options options;
Array arrays[MOST_ARRAYS];
int array_count;
Arena argument_arena, shared_arena;
static Array* dynamic;
static size_t dynamic_bytes;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
static size_t page() { return sysconf(_SC_PAGESIZE); }

void* pages(size_t bytes, const char* what) {
  void* p = mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) report("kind=too much memory\nwhat=%s\nbytes=%zu\n", what, bytes);
  return p;
}

static void reserve(Arena& arena, size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) report("kind=too much memory\nwhat=the arrays of the launch\nbytes=%zu\n", bytes);
  arena.begin = arena.next = (char*)p;
  arena.end = arena.begin + bytes;
}

void reserve_arguments(size_t bytes, int count) {
  reserve(argument_arena, bytes + GAP + count * (GAP + 2 * page()));
}

Array* new_array(const char* name, size_t bytes, unsigned element_bytes, bool is_shared) {
  if (is_shared && !shared_arena.begin) reserve(shared_arena, SHARED_ARENA);
  Arena& arena = is_shared ? shared_arena : argument_arena;
  const size_t gap = is_shared ? SHARED_GAP : GAP, mapped = round_up(bytes ? bytes : 1, page());
  if (array_count == MOST_ARRAYS || arena.next + gap + mapped + gap > arena.end)
    report("kind=too many resources\nwhy=arrays\n");
  Array* a = &arrays[array_count++];
  *a = Array{};
  a->name = name, a->bytes = bytes, a->element_bytes = element_bytes, a->shared = is_shared;
  a->grain = element_bytes % 4 == 0 ? 4 : element_bytes % 2 == 0 ? 2 : 1;
  a->pages = arena.next + gap, a->pages_end = a->pages + mapped;
  a->begin = a->pages_end - round_up(bytes, 16);  // a float4 may begin where the array does
  arena.next = a->pages_end;
  if (mprotect(a->pages, mapped, PROT_READ | PROT_WRITE) != 0)
    report("kind=too much memory\nwhat=%s\nbytes=%zu\n", name, bytes);
  memset(a->pages, 0xFF, a->begin - a->pages);
  memset(a->begin + bytes, 0xFF, a->pages_end - a->begin - bytes);
  return a;
}

static void watch_shared(Array* a) {
  memset(a->begin, 0xFF, a->bytes);
  const size_t cells = a->bytes / a->grain + 1;
  if (options.races) a->cells = (Cell*)pages(cells * sizeof(Cell), "the race check");
  if (options.memory) a->written = (unsigned char*)pages(cells, "the memory check");
}

static Array* new_shared(const char* name, size_t bytes, size_t element_bytes) {
  const bool was_running = running;
  running = false;  // what we fill here is no store of the kernel's
  Array* a = new_array(name, bytes, element_bytes, true);
  watch_shared(a);
  running = was_running;
  return a;
}

void watch_for_races(Array* a) { a->cells = (Cell*)pages((a->bytes / a->grain + 1) * sizeof(Cell), "the race check"); }

void* shared_array(void* key, const char* name, size_t bytes, size_t element_bytes, int line) {
  static Array* last;
  if (last && last->key == key) return last->begin;
  size_t all = bytes;
  for (int i = 0; i < array_count; ++i) {
    if (arrays[i].key == key) return (last = &arrays[i])->begin;
    if (arrays[i].key) all += arrays[i].bytes;
  }
  if (all > STATIC_SHARED_LIMIT) report("kind=too many resources\nwhy=shared\nbytes=%zu\nwhere=%u\n", all, LINE | line);
  last = new_shared(name, bytes, element_bytes);
  last->key = key;
  return last->begin;
}

void set_dynamic_shared(size_t bytes) { dynamic_bytes = bytes; }

void* dynamic_shared(const char* name, size_t element_bytes, int) {
  if (!dynamic) dynamic = new_shared(name, dynamic_bytes, element_bytes);
  return dynamic->begin;
}

void fill_shared() {
  for (int i = 0; i < array_count; ++i) {
    Array& a = arrays[i];
    if (!a.shared) continue;
    memset(a.begin, 0xFF, a.bytes);
    if (options.memory && !a.written) watch_shared(&a);  // declared outside functions: it was here before the launch
    if (options.races && !a.cells) watch_shared(&a);
    if (a.written) memset(a.written, 0, a.bytes / a.grain + 1);
  }
}

Array* array_of(const void* p) {
  static Array* last = arrays;
  if (p >= last->begin && p < last->begin + last->bytes) return last;
  for (int i = 0; i < array_count; ++i)
    if (p >= arrays[i].begin && p < arrays[i].begin + arrays[i].bytes) return last = &arrays[i];
  return nullptr;
}

Array* nearest_array(const void* where) {
  const char* p = (const char*)where;
  Array* nearest = nullptr;
  size_t distance = ~(size_t)0;
  for (int i = 0; i < array_count; ++i) {
    Array& a = arrays[i];
    const size_t d = p < a.begin ? a.begin - p : p < a.begin + a.bytes ? 0 : p - (a.begin + a.bytes);
    if (d < distance) distance = d, nearest = &a;
  }
  return nearest;
}

void check_surroundings() {
  for (int i = 0; i < array_count; ++i) {
    const Array& a = arrays[i];
    for (const char* p = a.pages; p < a.pages_end; ++p) {
      if (p == a.begin) p += a.bytes;
      if (p < a.pages_end && *p != (char)0xFF) report_bounds(p, 1, 1, 0);
    }
  }
}

void* heap(size_t bytes, int line) {
  void* p = malloc(bytes ? bytes : 1);
  if (!p) report("kind=too much memory\nwhat=malloc\nbytes=%zu\nwhere=%u\n", bytes, LINE | line);
  return p;
}

}  // namespace cpu

static void* allocate(size_t bytes, const void* from) {
  void* p = malloc(bytes ? bytes : 1);
  if (!p) cpu::report("kind=too much memory\nwhat=new\nbytes=%zu\nwhere=%u\n", bytes, cpu::where_of(from));
  return p;
}
void* operator new(size_t bytes) { return allocate(bytes, __builtin_return_address(0)); }
void* operator new[](size_t bytes) { return allocate(bytes, __builtin_return_address(0)); }
void operator delete(void* p) noexcept { free(p); }
void operator delete[](void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
void operator delete[](void* p, size_t) noexcept { free(p); }
