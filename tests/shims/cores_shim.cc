// Lets a process see OPENWORLD_CORES cores, and counts the threads it starts into the file
// OPENWORLD_THREADS_REPORT. Preloaded: how a command without --threads does on another machine.

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> started = 0;

__attribute__((destructor)) void report() {
  const char* path = std::getenv("OPENWORLD_THREADS_REPORT");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "%d\n", started.load());
  std::fclose(file);
}

}  // namespace

extern "C" {

int sched_getaffinity(pid_t, size_t size, cpu_set_t* set) {
  const char* cores = std::getenv("OPENWORLD_CORES");
  const int count = cores == nullptr ? 1 : std::atoi(cores);
  std::memset(set, 0, size);
  for (int core = 0; core < count; ++core) CPU_SET_S(static_cast<size_t>(core), size, set);
  return 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  ++started;
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run, argument);
}

}  // extern "C"
