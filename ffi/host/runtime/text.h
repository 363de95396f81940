// Text in a caller's buffer, always terminated; what does not fit is cut.
#pragma once
#include "../image.h"

namespace tf {

struct Text {
  char* at;
  tf_u32 length, capacity;

  Text(char* buffer, tf_u64 size) : at(buffer), length(0), capacity((tf_u32)(size > 0xffffffff ? 0xffffffff : size)) {
    if (capacity) at[0] = 0;
  }
  Text& put(char c) {
    if (length + 1 >= capacity) return *this;
    at[length++] = c;
    at[length] = 0;
    return *this;
  }
  Text& operator<<(const char* text) {
    while (text && *text) put(*text++);
    return *this;
  }
  Text& operator<<(tf_u64 number) {
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n) put(digits[--n]);
    return *this;
  }
  Text& operator<<(tf_u32 number) { return *this << (tf_u64)number; }
  Text& hex(tf_u64 number) {
    *this << "0x";
    int shift = 60;
    while (shift && !(number >> shift)) shift -= 4;
    for (; shift >= 0; shift -= 4) put("0123456789abcdef"[number >> shift & 15]);
    return *this;
  }
  // The last part of a path.
  Text& file(const char* path) {
    const char* name = path;
    for (const char* p = path; p && *p; p++)
      if (*p == '/') name = p + 1;
    return *this << name;
  }
  Text& site(TfSite where) {
    const char* path = tf_site_file(where);
    if (!path || !*path) return *this << "line " << tf_site_line(where);
    return file(path).put(':') << tf_site_line(where);
  }
  Text& triple(tf_u32 x, tf_u32 y, tf_u32 z) { return (put('(') << x).put(',') << y << "," << z << ")"; }
};

inline bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

} // namespace tf
