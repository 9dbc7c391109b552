#pragma once

// JsonStream: JSON of any size, read by windows, so that memory does not grow with the file.
//
// The outer structure is walked character by character. The items of a large array, or the members
// of a large object, are dealt out as many at a time as a window of a megabyte holds; simdjson
// parses each window whole, so everything is validated, and items are seen as simdjson's elements.
// One item has to fit in memory; 256 MiB at most.
//
// Files are hostile: every Error names the file and the item. Not for use by several threads.

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/detection/json_input.h"

namespace openworld {

class JsonStream {
 public:
  using Element = simdjson::dom::element;

  // Throws Error if the file cannot be opened.
  explicit JsonStream(const JsonInput& input);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  // The next character that is not white space, 0 at the end.
  char peek();

  // Walks an object: its keys one after the other. After each key comes exactly one call that reads
  // or skips its value. `name` is what messages call the object.
  void open_object(std::string_view name);
  bool next_key(std::string& key);

  void skip_value();
  // One value, whole. It lives until the next call.
  Element value(std::string_view name);

  // f(index, element) for each item of an array; `name` is what messages call an item: "entry"
  // gives "entry 17". Items count from 0.
  void each_item(std::string_view name, const std::function<void(std::size_t, Element)>& f);
  // f(key, element) for each member of an object.
  void each_member(std::string_view name, const std::function<void(std::string_view, Element)>& f);

  // Throws Error unless nothing but white space is left.
  void finish();

  std::uint64_t bytes_read() const { return consumed_ + position_ - kSpare; }
  // The size of the input.
  std::uint64_t size() const { return size_; }

 private:
  // A byte before the window, for the bracket that makes its items a document.
  static constexpr std::size_t kSpare = 1;

  struct Items {
    std::size_t begin = 0, end = 0;
    bool last = false;  // the container ends here
  };

  bool fill();
  std::size_t read_some(char* data, std::size_t size);
  char take();
  void expect(char wanted, std::string_view what);
  Items take_items(char close, std::string_view name, std::size_t done);
  void each_window(char open, char close, std::string_view name,
                   const std::function<void(Element, std::size_t)>& f);
  Element parse(std::size_t begin, std::size_t end, std::string_view what);
  [[noreturn]] void fail_item(const Items& items, char open, char close, std::string_view name,
                              std::size_t done);

  Origin origin_;
  std::optional<Bytes> bytes_;
  std::size_t bytes_used_ = 0;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t consumed_ = 0;  // bytes of the input before the window
  std::vector<char> buffer_;
  std::size_t position_ = kSpare;
  std::size_t end_ = kSpare;
  std::vector<bool> first_key_;
  simdjson::dom::parser parser_;
};

}  // namespace openworld
