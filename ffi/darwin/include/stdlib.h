#pragma once
#include <stddef.h>
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
char* getenv(const char*);
int atoi(const char*);
unsigned long strtoul(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);
