/* A CUDA driver with one made-up GPU, sm_90, for tests: its "kernel" is scaled, and what goes wrong goes by name. */
#include <stdlib.h>
#include <string.h>

static const char *launched = "";

int cuInit(unsigned flags) { return 0; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = malloc(1); return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuModuleLoadData(void **module, const char *image) { *module = (void *)image; return memcmp(image, "\x7f" "ELF", 4) ? 200 : 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { *function = strdup(name); return 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { return attribute == 8 && value <= 227 * 1024 ? 0 : 1; }
int cuMemAlloc_v2(unsigned long long *address, size_t size) { *address = (unsigned long long)malloc(size); return 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size) { memcpy((void *)to, from, size); return 0; }
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size) { memcpy(to, (void *)from, size); return 0; }
int cuCtxSynchronize(void) { return strstr(launched, "illegal") ? 700 : strstr(launched, "greedy") ? 701 : 0; }
int cuGetErrorString(int code, const char **text) { *text = code == 700 ? "an illegal memory access" : "too much asked"; return 0; }

/* scaled(const float *x, float *out, long long n, float scale, int first) in a grid of 2, 3, 1 and blocks of 4, 1, 1 */
int cuLaunchKernel(const char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  launched = function;
  if (gx != 2 || gy != 3 || gz != 1 || bx != 4 || by != 1 || bz != 1) return 1;
  const float *x = *(const float **)arguments[0];
  float *out = *(float **)arguments[1];
  long long n = *(long long *)arguments[2];
  float scale = *(float *)arguments[3];
  int first = *(int *)arguments[4];
  for (long long i = first; i < n; ++i) out[i] = scale * x[i];
  if (strstr(function, "past_the_end")) out[n] = 1;
  if (strstr(function, "before_the_start")) out[-1] = 1;
  return 0;
}
