// Runs one case's kernels in turn, round after round, and prints each one's CPU time: the host device's images, PoCL's
// kernels and plain C++. Standard input says what to run, one thing a line, fields apart by tabs:
//   runtime FILE          the host device's shared object
//   rounds N
//   device LABEL IMAGE SYMBOL GRID_X GRID_Y SCHEDULE
//   pocl LABEL FILE SYMBOL GRID_X GRID_Y
//   plain LABEL FUNCTION ROWS
//   in FILE BYTES | out BYTES | u32 VALUE | f32 VALUE     an argument
// Standard output: `time LABEL NANOSECONDS` a run, and `pocl NAME` or `pocl absent`. LABEL.out in the working folder is
// the last output of each.
#include "driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

void fail(const std::string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  exit(1);
}

std::string read_file(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rb");
  if (!file) fail("cannot read " + path);
  std::string bytes;
  char part[65536];
  while (size_t n = fread(part, 1, sizeof part, file)) bytes.append(part, n);
  fclose(file);
  return bytes;
}

static void write_file(const std::string& path, const std::string& bytes) {
  FILE* file = fopen(path.c_str(), "wb");
  if (!file || fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || fclose(file)) fail("cannot write " + path);
}

// Of all threads of this process.
static long long cpu_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static std::vector<std::string> fields_of(char* line) {
  std::vector<std::string> fields;
  for (char* field = strtok(line, "\t\n"); field; field = strtok(nullptr, "\t\n")) fields.push_back(field);
  return fields;
}

static bool read_argument(const std::vector<std::string>& f, Argument& a) {
  if (f[0] == "in") a = { Argument::IN, (unsigned long)atol(f[2].c_str()), read_file(f[1]) };
  else if (f[0] == "out") a = { Argument::OUT, (unsigned long)atol(f[1].c_str()), "" };
  else if (f[0] == "u32") {
    unsigned value = (unsigned)strtoul(f[1].c_str(), nullptr, 10);
    a = { Argument::SCALAR, 4, std::string((const char*)&value, 4) };
  } else if (f[0] == "f32") {
    float value = strtof(f[1].c_str(), nullptr);
    a = { Argument::SCALAR, 4, std::string((const char*)&value, 4) };
  } else return false;
  return true;
}

int main() {
  char line[4096];
  int rounds = 0;
  std::string runtime;
  std::vector<Argument> arguments;
  std::vector<std::vector<std::string>> asked;
  while (fgets(line, sizeof line, stdin)) {
    std::vector<std::string> f = fields_of(line);
    if (f.empty()) continue;
    Argument a;
    if (f[0] == "runtime") runtime = f[1];
    else if (f[0] == "rounds") rounds = atoi(f[1].c_str());
    else if (read_argument(f, a)) arguments.push_back(a);
    else asked.push_back(f);
  }
  std::vector<std::pair<std::string, Subject*>> subjects;
  for (const auto& f : asked) {
    Subject* subject = nullptr;
    if (f[0] == "device") subject = open_device(runtime, f, arguments);
    if (f[0] == "plain") subject = open_plain(f, arguments);
    if (f[0] == "pocl") subject = open_pocl(f, arguments);
    if (subject) subjects.emplace_back(f[1], subject);
  }
  printf("pocl\t%s\n", pocl_name().c_str());
  for (int round = -1; round < rounds; round++) // the first is for warm caches
    for (auto& [label, subject] : subjects) {
      long long from = cpu_time();
      subject->run();
      if (round >= 0) printf("time\t%s\t%lld\n", label.c_str(), cpu_time() - from);
    }
  for (auto& [label, subject] : subjects) write_file(label + ".out", subject->output());
}
