// What is wrong is written as lines of "field=value" to the result; Python makes sentences of them.
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <initializer_list>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_BACKTRACE 1
#endif
#include "state.h"

namespace cpu {

static int result_file = 1;
char* program_begin;

// What a kernel prints must not come between the results.
void take_standard_output() {
  result_file = dup(1);
  dup2(2, 1);
}

void write_result(const void* data, size_t bytes) {
  const char* next = (const char*)data;
  while (bytes > 0) {
    const ssize_t done = write(result_file, next, bytes);
    if (done <= 0) _exit(3);
    next += done, bytes -= done;
  }
}

void report(const char* format, ...) {
  char text[4096];
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  fflush(stdout);
  write_result("F", 1);
  write_result(text, length < (int)sizeof text ? length : sizeof text - 1);
  _exit(0);
}

void give_up(const char* why, int line) { report("kind=crash\nwhy=%s\nwhere=%u\n", why, LINE | line); }

static char* begin_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) ? (char*)info.dli_fbase : nullptr;
}

void report_bounds(const void* p, size_t bytes, int store, unsigned where) {
  const Array* a = nearest_array(p);
  if (!a) report("kind=out of bounds\nstore=%d\nwhere=%u\n", store, where);
  long long element = (char*)p - a->begin;
  if (element < 0) element -= a->element_bytes - 1;  // towards the smaller one
  // A wide load may begin inside; the first element outside is the one to name.
  if (element >= 0 && (size_t)element < a->bytes) element = a->bytes;
  report("kind=out of bounds\nname=%s\nshared=%d\nelement=%lld\ncount=%zu\nstore=%d\nbytes=%zu\nwhere=%u\n", a->name,
         a->shared, element / (long long)a->element_bytes, a->bytes / a->element_bytes, store, bytes, where);
}

static void* faulting_instruction(void* context) {  // null: not known here
#if defined(__x86_64__) && defined(__linux__)
  return (void*)((ucontext_t*)context)->uc_mcontext.gregs[16 /* REG_RIP */];
#elif defined(__aarch64__) && defined(__linux__)
  return (void*)((ucontext_t*)context)->uc_mcontext.pc;
#else
  return context ? nullptr : nullptr;
#endif
}

// The places that led to a signal, the innermost first, as far as they are in this program.
static void stack_of(char* text, size_t size, void* context) {
  text[0] = 0;
  const char* fault = (char*)faulting_instruction(context);
#ifdef HAS_BACKTRACE
  void* places[24];
  const int count = backtrace(places, 24);
#else
  void* places[] = {(void*)fault};
  const int count = fault != nullptr;
#endif
  size_t used = 0;
  for (int i = 0; i < count && used + 12 < size; ++i) {
    if (begin_of(places[i]) != program_begin) continue;
    const char* place = (char*)places[i] + (places[i] == fault);  // all others are return addresses
    used += snprintf(text + used, size - used, "%s%u", used ? "," : "", where_of(place));
  }
}

static int is_store(void* context) {  // 1, 0, or -1: not known
#if defined(__x86_64__) && defined(__linux__)
  return (((ucontext_t*)context)->uc_mcontext.gregs[19 /* REG_ERR */] >> 1) & 1;
#else
  (void)context;
  return -1;
#endif
}

static void set_timer(double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = (long)seconds;
  timer.it_value.tv_usec = (long)((seconds - (long)seconds) * 1e6) + 1;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Some instructions of a loop belong to no line, so a launch that does not end is looked at more than once.
static void on_time_out(const char* stack) {
  static char places[3000];
  static int looked;
  const size_t used = strlen(places);
  snprintf(places + used, sizeof places - used, "%s%s", used ? "," : "", stack);
  if (++looked == 8) report("kind=endless\nwhere=%s,%u\n", places, LINE | line_of_last_wait());
  set_timer(0.0013);
}

static void on_signal(int signal, siginfo_t* info, void* context) {
  char stack[300];
  stack_of(stack, sizeof stack, context);
  if (signal == SIGALRM) return on_time_out(stack);
  const void* p = info->si_addr;
  if ((signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0) {
    if (in_a_stack_guard(p)) report("kind=crash\nwhy=stack\nwhere=%s\n", stack);
    const int store = is_store(context);
    if (const Array* a = in_an_arena(p) ? nearest_array(p) : nullptr) {
      long long offset = (char*)p - a->begin;
      if (offset < 0) offset -= a->element_bytes - 1;
      report("kind=out of bounds\nname=%s\nshared=%d\nelement=%lld\ncount=%zu\nstore=%d\nwhere=%s\n", a->name,
             a->shared, offset / (long long)a->element_bytes, a->bytes / a->element_bytes, store, stack);
    }
    // Addresses that no program can have come without their number.
    const bool null = info->si_code == SEGV_MAPERR && (size_t)p < 4096;
    report("kind=%s\nstore=%d\nwhy=%s\nwhere=%s\n", null ? "crash" : "out of bounds", store, null ? "null" : "", stack);
  }
  report("kind=crash\nwhy=%s\nwhere=%s\n",
         signal == SIGFPE ? "division" : signal == SIGABRT ? "abort() was called" : strsignal(signal), stack);
}

void catch_signals(double seconds) {
  program_begin = begin_of((void*)&catch_signals);
#ifdef HAS_BACKTRACE
  void* place;
  backtrace(&place, 1);  // loads what it needs now, and not in a signal
#endif
  static char stack[1 << 16];  // a kernel's own may be full
  stack_t own = {};
  own.ss_sp = stack, own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTRAP}) sigaction(signal, &action, nullptr);
  set_timer(seconds);
}

}  // namespace cpu

// What -fsanitize=bounds,integer-divide-by-zero,alignment calls. The layouts are those of the compilers' own runtime.
struct Place {
  const char* file;
  unsigned line, column;
};
struct Type {
  unsigned short kind, info;
  char name[1];
};
struct IndexData {
  Place place;
  Type *array, *index;
};
struct DivisionData {
  Place place;
  Type* type;
};
struct AddressData {
  Place place;
  Type* type;
  unsigned char log_alignment, kind;
};
extern "C" {
void __ubsan_handle_out_of_bounds_abort(IndexData* data, uintptr_t index) {
  const bool narrow = data->index->kind == 0 && (data->index->info & 1) && (data->index->info >> 1) == 5;
  cpu::report("kind=out of bounds\nindex=%lld\ntype=%s\nwhere=%u\n", narrow ? (long long)(int)index : (long long)index,
              data->array->name, cpu::LINE | data->place.line);
}
void __ubsan_handle_divrem_overflow_abort(DivisionData* data, uintptr_t, uintptr_t) {
  cpu::report("kind=crash\nwhy=division\nwhere=%u\n", cpu::LINE | data->place.line);
}
void __ubsan_handle_type_mismatch_v1_abort(AddressData* data, uintptr_t address) {
  if (address < 4096) cpu::report("kind=crash\nwhy=null\nwhere=%u\n", cpu::LINE | data->place.line);
  const cpu::Array* a = cpu::array_of((void*)address);
  cpu::report("kind=crash\nwhy=alignment\ntype=%s\nbytes=%d\nname=%s\nwhere=%u\n", data->type->name,
              1 << data->log_alignment, a ? a->name : "", cpu::LINE | data->place.line);
}
}
