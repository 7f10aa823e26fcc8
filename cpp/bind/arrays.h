#pragma once
// Arrays that the core creates and Python owns.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <vector>

namespace rulezero {

using FloatArray = nanobind::ndarray<nanobind::numpy, float, nanobind::c_contig>;

// An array that takes over the vector's memory.
template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::c_contig> to_numpy(
    std::vector<T> numbers, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(numbers));
  nanobind::capsule owner(
      kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return {kept->data(), shape, owner};
}

// A zeroed float32 array.
inline FloatArray zeros(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (std::size_t length : shape) size *= length;
  return to_numpy(std::vector<float>(size), shape);
}

}  // namespace rulezero
