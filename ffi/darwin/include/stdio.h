#pragma once
#include <stdarg.h>
#include <stddef.h>
int snprintf(char*, size_t, const char*, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char*, size_t, const char*, va_list) __attribute__((format(printf, 3, 0)));
int sscanf(const char*, const char*, ...) __attribute__((format(scanf, 2, 3)));
