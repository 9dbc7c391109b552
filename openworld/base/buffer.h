#pragma once

// A fixed-size array whose elements start uninitialised. std::vector would first write zeros over
// memory that is about to be filled, which at 1e7 rows costs as much as a walk over the data. Large
// arrays ask for huge pages: otherwise the faults of 4 KiB pages cost about as much again.

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "openworld/base/pages.h"

namespace openworld {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(static_cast<T*>(allocate_pages(size * sizeof(T)))), size_(size) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data_.get(), size_}; }
  std::span<const T> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* data) const { free_pages(data); }
  };

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace openworld
