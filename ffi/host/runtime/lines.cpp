// The line of a program counter, from the DWARF 5 line table that images are built with (-gline-tables-only). Functions
// of the dialect headers carry no lines of their own (TF_NODEBUG), so what is inlined from them has the kernel's line.
#include "device.h"
#include "elf.h"

namespace tf {

namespace {

struct Bytes {
  const tf_u8 *at, *end;

  bool more() const { return at < end; }
  tf_u64 fixed(tf_u32 bytes) {
    tf_u64 value = 0;
    if ((tf_u64)(end - at) < bytes) return at = end, 0;
    memcpy(&value, at, bytes);
    at += bytes;
    return value;
  }
  tf_u64 unsigned_leb() {
    tf_u64 value = 0;
    for (tf_u32 shift = 0; more(); shift += 7) {
      tf_u8 byte = *at++;
      if (shift < 64) value |= (tf_u64)(byte & 127) << shift;
      if (!(byte & 128)) break;
    }
    return value;
  }
  long long signed_leb() {
    long long value = 0;
    tf_u32 shift = 0;
    while (more()) {
      tf_u8 byte = *at++;
      if (shift < 64) value |= (long long)((tf_u64)(byte & 127) << shift);
      shift += 7;
      if (byte & 128) continue;
      if ((byte & 64) && shift < 64) value |= (long long)(~0ull << shift);
      break;
    }
    return value;
  }
  const char* text() {
    const char* start = (const char*)at;
    while (more() && *at) at++;
    if (more()) at++;
    return start;
  }
  Bytes take(tf_u64 bytes) {
    tf_u64 left = (tf_u64)(end - at), n = bytes < left ? bytes : left;
    Bytes part = { at, at + n };
    at += n;
    return part;
  }
};

struct Sections {
  Bytes lines, line_strings, strings;
};

Bytes section(const Module* m, const char* name) {
  const ElfHeader* header = (const ElfHeader*)m->file;
  Bytes none = { nullptr, nullptr };
  if (!m->file || header->sections + (tf_u64)header->section_count * sizeof(ElfSection) > m->file_bytes) return none;
  const ElfSection* table = (const ElfSection*)(m->file + header->sections);
  const char* names = (const char*)m->file + table[header->section_names].offset;
  for (int i = 0; i < header->section_count; i++) {
    const ElfSection* s = &table[i];
    if (s->offset + s->bytes > m->file_bytes || !same_text(names + s->name, name)) continue;
    return { m->file + s->offset, m->file + s->offset + s->bytes };
  }
  return none;
}

// An attribute of a file entry: its text where it has one.
const char* attribute(Bytes& in, tf_u64 form, const Sections& s) {
  enum { DATA2 = 5, DATA4 = 6, STRING = 8, DATA1 = 11, STRP = 14, UDATA = 15, DATA16 = 30, LINE_STRP = 31 };
  if (form == STRING) return in.text();
  if (form == LINE_STRP) return (const char*)s.line_strings.at + in.fixed(4);
  if (form == STRP) return (const char*)s.strings.at + in.fixed(4);
  if (form == UDATA) in.unsigned_leb();
  else if (form == DATA16) in.take(16);
  else in.fixed(form == DATA1 ? 1 : form == DATA2 ? 2 : 4);
  return nullptr;
}

// Reads a directory or file table; the path of entry `wanted`.
const char* entry_path(Bytes& in, const Sections& s, tf_u64 wanted) {
  constexpr tf_u32 MOST = 8;
  tf_u64 types[MOST], forms[MOST], count = in.fixed(1);
  const char* found = nullptr;
  if (count > MOST) return in.at = in.end, nullptr;
  for (tf_u64 i = 0; i < count; i++) {
    types[i] = in.unsigned_leb();
    forms[i] = in.unsigned_leb();
  }
  tf_u64 entries = in.unsigned_leb();
  for (tf_u64 e = 0; e < entries && in.more(); e++)
    for (tf_u64 i = 0; i < count; i++) {
      const char* text = attribute(in, forms[i], s);
      if (e == wanted && types[i] == 1 /* path */) found = text;
    }
  return found;
}

struct Row {
  tf_u64 address, file, line;
};

struct Unit {
  Bytes tables, program;
  tf_u32 step, line_range, opcode_base;
  int line_base;
  tf_u8 lengths[256];
};

bool read_unit(Bytes& in, Unit* unit) {
  Bytes body = in.take(in.fixed(4));
  if (body.fixed(2) != 5) return false;
  body.fixed(2); // sizes of addresses and segment selectors
  Bytes header = body.take(body.fixed(4));
  unit->step = (tf_u32)header.fixed(1);
  header.fixed(2); // operations an instruction, default is_stmt
  unit->line_base = (signed char)header.fixed(1);
  unit->line_range = (tf_u32)header.fixed(1);
  unit->opcode_base = (tf_u32)header.fixed(1);
  for (tf_u32 i = 1; i < unit->opcode_base; i++) unit->lengths[i] = (tf_u8)header.fixed(1);
  unit->tables = header;
  unit->program = body;
  return unit->line_range != 0;
}

// Runs one instruction. True: it adds a row (or, with *ends, closes a sequence).
bool run_instruction(Unit* unit, Row* row, bool* ends) {
  enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC = 9 };
  enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
  Bytes& in = unit->program;
  tf_u32 op = (tf_u32)in.fixed(1);
  if (op >= unit->opcode_base) {
    tf_u32 special = op - unit->opcode_base;
    row->address += special / unit->line_range * unit->step;
    row->line += (tf_u64)(long long)(unit->line_base + (int)(special % unit->line_range));
    return true;
  }
  if (op == EXTENDED) {
    Bytes part = in.take(in.unsigned_leb());
    tf_u64 kind = part.fixed(1);
    if (kind == SET_ADDRESS) row->address = part.fixed(8);
    return *ends = kind == END_SEQUENCE;
  }
  if (op == COPY) return true;
  if (op == ADVANCE_PC) row->address += in.unsigned_leb() * unit->step;
  else if (op == ADVANCE_LINE) row->line += (tf_u64)in.signed_leb();
  else if (op == SET_FILE) row->file = in.unsigned_leb();
  else if (op == CONST_ADD_PC) row->address += (255 - unit->opcode_base) / unit->line_range * unit->step;
  else if (op == FIXED_ADVANCE_PC) row->address += in.fixed(2);
  else for (tf_u32 i = 0; i < unit->lengths[op]; i++) in.unsigned_leb();
  return false;
}

// The last row at or below `address` in the sequence that holds it. Line 0 is the compiler's own: the row before it
// counts.
bool find_row(Unit* unit, tf_u64 address, Row* found) {
  Row row = { 0, 1, 1 }, last = { 0, 0, 0 };
  bool inside = false;
  while (unit->program.more()) {
    bool ends = false;
    if (!run_instruction(unit, &row, &ends)) continue;
    if (inside && row.address > address) return *found = last, last.line != 0;
    inside = !ends && row.address <= address;
    if (ends) last.line = 0;
    else if (row.line) last = row;
    if (ends) row = { 0, 1, 1 };
  }
  return false;
}

} // namespace

bool line_of(const Module* m, tf_u64 pc, Text& text) {
  Sections s = { section(m, ".debug_line"), section(m, ".debug_line_str"), section(m, ".debug_str") };
  while (s.lines.more()) {
    Unit unit;
    Row row;
    if (!read_unit(s.lines, &unit) || !find_row(&unit, pc - (tf_u64)m->base, &row)) continue;
    entry_path(unit.tables, s, ~0ull);
    const char* path = entry_path(unit.tables, s, row.file);
    if (!path) return false;
    text.file(path).put(':') << row.line;
    return true;
  }
  return false;
}

} // namespace tf
