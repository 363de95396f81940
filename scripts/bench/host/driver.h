// What the benchmark's driver can run.
#pragma once
#include <string>
#include <vector>

struct Argument {
  enum Kind { IN, OUT, SCALAR } kind;
  unsigned long bytes;
  std::string data; // of IN and SCALAR
};

class Subject {
public:
  virtual ~Subject() {}
  virtual void run() = 0; // to its end
  virtual std::string output() = 0;
};

typedef std::vector<std::string> Fields; // of the line that asks for it

[[noreturn]] void fail(const std::string& why);
std::string read_file(const std::string& path);

Subject* open_device(const std::string& runtime, const Fields& asked, const std::vector<Argument>& arguments);
Subject* open_plain(const Fields& asked, const std::vector<Argument>& arguments);
Subject* open_pocl(const Fields& asked, const std::vector<Argument>& arguments); // null: PoCL is not installed
std::string pocl_name();                                                         // "absent" where it is not
